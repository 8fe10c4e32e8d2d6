export { createPostgresCache, type PostgresCacheOptions } from './postgres/postgres-cache.ts';
export { postgres, type PostgresOptions } from './postgres/postgres.ts';
export { createRedisCache, type RedisCacheOptions } from './redis/redis-cache.ts';
export { redis, type RedisOptions } from './redis/redis.ts';
