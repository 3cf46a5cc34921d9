"""Recipes and shopping lists."""
