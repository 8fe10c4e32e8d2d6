/**
 * Files that may use the clock, random numbers, the environment or the network directly, because they set the defaults of
 * options. Paths from `src`, by package. The list may only shrink.
 */
export const AMBIENT: Readonly<Record<string, readonly string[]>> = {
  agent: ['run/platform.ts'],
  cli: ['ask.ts', 'chat.ts', 'log/log-command.ts', 'reason.ts', 'studio.ts'],
  create: ['main.ts'],
  eval: ['platform.ts'],
  kernel: ['limits/record-updater.ts', 'run-part.ts'],
  host: ['platform.ts'],
  'host-servers': ['platform.ts'],
  exec: ['code-execution-config.ts', 'create-code-executor.ts', 'run/clock.ts', 'wasm/python-realm.ts'],
  mcp: ['client/http-fetch.ts', 'client/server-process.ts', 'server/mcp-server.ts'],
  model: ['cache/disk-cache.ts', 'config/config-list.ts', 'wrapper/model-wrapper.ts'],
  'provider-ai-sdk': ['ai-sdk.ts'],
  'provider-anthropic': ['platform.ts'],
  // An SDK reads the global `fetch` and has no option for another: `sdk-wires.ts` lends it one.
  'provider-google': ['endpoint.ts', 'google.ts', 'sdk-wires.ts'],
  'provider-kit': ['client/request-clock.ts', 'http/platform-dispatcher.ts', 'http/transport.ts'],
  'provider-openai': ['openai.ts'],
  reasoning: ['search/search.steps.ts'],
  records: ['platform.ts'],
  testing: ['provider-contract/adapter-case.ts'],
}
