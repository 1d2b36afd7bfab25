# The agent of a node, and what trains there. Context: the repository. On a GPU node start from the
# image of your CUDA release instead, and leave torch to it.
FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1
WORKDIR /srv/hotswap
COPY requirements/runtime.txt requirements/
RUN pip install --no-cache-dir --requirement requirements/runtime.txt
COPY agents agents
RUN pip install --no-cache-dir --no-deps --no-build-isolation ./agents
COPY examples examples
RUN useradd --system --create-home hotswap \
    && install --directory --owner=hotswap --mode=0700 /var/lib/hotswap/agent /var/lib/hotswap/home
USER hotswap
