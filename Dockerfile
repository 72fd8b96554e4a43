# One image for the page, the worker and the scheduler. Delta's jars and a Java are in it: nothing is fetched at run time.
FROM python:3.12-slim-bookworm

RUN apt-get update \
 && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps tini \
    libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 assay \
 && mkdir -p /data /lake \
 && chown assay:assay /data

WORKDIR /app
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock

COPY catalog catalog
COPY workers workers
COPY web web
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && pip check

# The jars lie beside the program; the volume over /data begins with a link to them and with the starter index, which is
# brought up to date in place
RUN ASSAY_HOME=/opt/assay assay setup \
 && ln -s /opt/assay/jars /data/jars \
 && mv /opt/assay/starter /data/starter \
 && chown -R assay:assay /data/starter \
 && rm -rf /root/.ivy2* /tmp/*

USER assay
ENV ASSAY_HOME=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8420

ENTRYPOINT ["tini", "--", "assay"]
CMD ["up"]
