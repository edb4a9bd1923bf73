# The service, for any platform that runs images. The roles are its commands: docs/deploy.md.
# The console is built with what developers need. The service has its dependencies without that, and without the embedded
# Postgres (an optional package of each platform): an image has a DATABASE_URL.
FROM node:24-bookworm-slim AS console
WORKDIR /millrace
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY src src
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /millrace
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-bookworm-slim AS service
ENV NODE_ENV=production
WORKDIR /millrace
# Owned by root: the service cannot change its own files, and needs no file that it can write.
COPY --from=dependencies /millrace/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY migrations migrations
COPY sql sql
COPY src src
COPY --from=console /millrace/dist dist

# What Node makes of the sources (docs/decisions/0019-memory.md), which it keeps for each user apart: so for the one that runs. Then it
# is root's as well: what lies there is run.
FROM service AS compiled
RUN mkdir compiled && chown node compiled
USER node
RUN NODE_COMPILE_CACHE=/millrace/compiled node bin/keep-compiled.mjs && chmod -R a+rX compiled

FROM service
COPY --from=compiled /millrace/compiled node_modules/.cache/node
ENV NODE_COMPILE_CACHE=/millrace/node_modules/.cache/node
USER node
EXPOSE 7376
ENTRYPOINT ["bin/millrace"]
CMD ["start"]
