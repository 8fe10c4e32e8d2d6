export { createPostgresCache } from './postgres/postgres-cache.ts';
export { postgres, type PostgresOptions } from './postgres/postgres.ts';
export { createRedisCache } from './redis/redis-cache.ts';
export { redis, type RedisOptions } from './redis/redis.ts';
