"""Migrations of approvals."""
