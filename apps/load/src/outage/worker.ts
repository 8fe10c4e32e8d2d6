import { outageHost, type OutageSettings } from './outage-host.ts'

/** Chats at once in a worker: more than there are, since each has a request under way when the provider goes down. */
const CONCURRENT_CHATS = 5000
const LEASE_S = 5

/** A worker of an outage: `<settings as JSON>`. */
const { host } = outageHost(JSON.parse(process.argv[2]!) as OutageSettings)
await host.work({ concurrency: CONCURRENT_CHATS, lease: LEASE_S })
await host.close()
