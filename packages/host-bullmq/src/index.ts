export { postgres, type PostgresOptions } from './postgres/postgres.ts'
export { redis, type RedisOptions } from './redis/redis.ts'
