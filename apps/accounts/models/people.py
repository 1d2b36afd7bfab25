"""Tenants, people, and what a person is in a tenant."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from apps.core.models import Entity


class Tenant(Entity):
    """Whose things they are: nothing of one tenant is ever shown to another."""

    slug = models.SlugField(unique=True, max_length=63)
    name = models.CharField(max_length=200)

    def __str__(self) -> str:
        return self.slug


class UserManager(BaseUserManager["User"]):
    """What Django's login needs: people are made by ``services.user_create``."""


class User(Entity, AbstractBaseUser):
    """A person who signs in."""

    username = models.CharField(unique=True, max_length=150)
    display_name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    is_active = models.BooleanField(default=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.username


class Membership(Entity):
    """What a person is in a tenant."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    # list of core.access.Role
    roles = models.JSONField(default=list)

    class Meta:
        """One line per person and tenant."""

        constraints = (models.UniqueConstraint(fields=("user", "tenant"), name="membership_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} in {self.tenant_id}"
