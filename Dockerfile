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

FROM node:24-bookworm-slim
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
USER node
EXPOSE 7376
ENTRYPOINT ["bin/millrace"]
CMD ["start"]
