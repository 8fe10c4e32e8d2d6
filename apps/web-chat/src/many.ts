#!/usr/bin/env node
// The example for many machines, on one: two web servers and two workers on one Redis. Ctrl-C ends all of them.
import { join, resolve } from 'node:path'
import { isXError } from '@x/kernel'
import { Processes } from './processes.ts'
import { findRedis, startRedis } from './redis-server.ts'
import { modelText, readSettings } from './settings.ts'

await using cleanup = new AsyncDisposableStack()
const stop = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.resolve())
try {
  const settings = readSettings()
  const folder = resolve(settings.folder)
  const address = settings.at ?? cleanup.use(await startRedis(findRedis(), join(folder, 'redis'))).address
  const processes = cleanup.use(new Processes({ settings: { ...settings, folder }, address, log: console.log }))
  const { port } = settings
  const workers = await Promise.all(times(settings.workers, () => processes.startWorker()))
  const servers = await Promise.all(times(settings.servers, (index) => processes.startServer(port && port + index)))
  console.log(`${modelText(settings)} Open any of these, or several:`)
  for (const { url, child } of servers) console.log(`  ${url}  (web server, process ${child.pid})`)
  for (const { child } of workers) console.log(`  worker, process ${child.pid}: kill -9 ${child.pid}`)
  for (const { monitor } of [...servers, ...workers]) if (monitor) console.log(`  ${monitor}/metrics`)
  console.log('Ctrl-C ends all of them.')
  await stop.promise
} catch (error) {
  console.error(isXError(error) ? error.message : error)
  process.exitCode = 1
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
