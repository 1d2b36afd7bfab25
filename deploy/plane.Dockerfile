# The control plane: web, agents' port, relay, worker, beat. Context: the repository.
FROM node:20-slim AS frontend
WORKDIR /build
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend ./
RUN npm run build

FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1 PYTHONPATH=/srv/hotswap/agents DJANGO_SETTINGS_MODULE=controlplane.settings
WORKDIR /srv/hotswap
# no torch here: what decides does not train
COPY requirements/plane.txt requirements/
RUN pip install --no-cache-dir --requirement requirements/plane.txt
COPY manage.py ./
COPY agents/hotswap agents/hotswap
COPY apps apps
COPY controlplane controlplane
COPY workers workers
COPY deploy/probe.py deploy/
COPY --from=frontend /build/dist frontend/dist
RUN useradd --system --create-home hotswap \
    && install --directory --owner=hotswap --mode=0700 /var/lib/hotswap/authority
USER hotswap
