import { throwIfAborted } from '@x/kernel/abort'
import { isSecretName, secretsOf } from '@x/kernel/redact'
import { createAuthorization } from './authorization.ts'
import { Connector } from './connector.ts'
import { OpenCalls, elicitFrom } from './elicit.ts'
import { serverEnvironment } from './server-process.ts'
import type { LinkSettings } from './link.ts'
import type { McpConnection } from './mcp-connection.ts'
import { checkMcpOptions, type McpOptions } from './mcp-options.ts'
import { ServerConnection } from './server-connection.ts'
import { ToolList } from './tool-list.ts'

/** Default of `maxMessageBytes`. */
const DEFAULT_MAX_MESSAGE_BYTES = 16 * 2 ** 20

/**
 * Connects to an MCP server and lists its tools. `await using` closes the connection at the end of the block, with its
 * process, sockets and timers.
 */
export async function mcp(options: McpOptions): Promise<McpConnection> {
  checkMcpOptions(options)
  const { name, io, signal, connectTimeout = 60 } = options
  const open = new OpenCalls()
  const connectMs = connectTimeout * 1000
  let list: ToolList
  const invalidate = (): void => list?.invalidate()
  const secrets = new Set(collectSecrets(options))
  const settings = await createLinkSettings(options, { open, connectMs, invalidate, secrets })
  const connector = new Connector(name, settings, secrets, invalidate)
  const request: Connector['request'] = async (serverRequest) => await connector.request(serverRequest)
  list = new ToolList(name, request, connectMs)
  try {
    throwIfAborted(signal)
    await list.load(signal)
    return new ServerConnection({ name, request, list, open, io }, connector)
  } catch (error) {
    await connector.close()
    throw error
  }
}

/** The parts of a connection that its settings refer to. */
interface ConnectionParts {
  readonly open: OpenCalls
  readonly connectMs: number
  /** Notes that the list of tools may have changed. */
  readonly invalidate: () => void
  /** Texts that no error may show. */
  readonly secrets: Set<string>
}

async function createLinkSettings(
  options: McpOptions,
  { open, connectMs, invalidate, secrets }: ConnectionParts,
): Promise<LinkSettings> {
  const { name, command, args = [], env, cwd, sandbox, url, headers = {}, auth, fetch, elicitation } = options
  const plain = command === undefined ? undefined : { command, args, env: serverEnvironment(env), cwd }
  const target = url === undefined ? undefined : new URL(url)
  return {
    command: plain && sandbox ? await sandbox(plain) : plain,
    http: target && { url: target, headers, fetch, authorization: auth && createAuthorization(target, auth, secrets) },
    maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
    connectMs,
    elicit: elicitation
      ? async (question, signal) => {
          const { io } = open
          return io ? await open.inTurn(() => elicitFrom(io, name, question, signal)) : { action: 'cancel' }
        }
      : undefined,
    onToolsChanged: invalidate,
  }
}

/** Collects the secrets for redaction in errors: values of headers, variables, arguments with names of secrets, and those of URLs. */
function collectSecrets({ headers = {}, env = {}, args = [], url, auth }: McpOptions): string[] {
  const variables = Object.values(env)
  const addresses = [...(url === undefined ? [] : [String(url)]), ...args, ...variables]
  return [
    ...Object.values(headers).flatMap((value) => [value, ...value.split(' ')]),
    ...variables,
    ...args.flatMap((_, index) => secretsAt(args, index)),
    ...addresses.flatMap((baseUrl) => [...secretsOf({ baseUrl })]),
    auth?.clientSecret ?? '',
  ].filter((each) => each.length >= 6)
}

/** Returns the secrets in an argument, by a name in it or by the argument before it. */
function secretsAt(args: readonly string[], index: number): string[] {
  const [own, before] = [args[index]!, args[index - 1] ?? ''].map((each) => each.replace(/^-+/u, ''))
  const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/su.exec(own!) ?? []
  return [
    ...(isSecretName(name) ? [value] : []),
    ...(isSecretName(before!) && !before!.includes('=') ? [args[index]!] : []),
  ]
}
