import type { ForeignWords } from '../options/kinds.ts'
const TOOL_CODE = '`tool({ name, description, parameters, execute })`'
const PARAMETERS_REMEDY = 'write `parameters`, which takes the same schema'
const EXECUTE_REMEDY = 'write `execute`, which takes the arguments as one object'

/** Says how to write the function of a tool, or the schema of one in OpenAI's format. */
const functionRemedy = (value: unknown): string =>
  typeof value === 'function' ? EXECUTE_REMEDY : `that is the format of OpenAI: write ${TOOL_CODE}`

/** Names that other frameworks have for options of a tool. */
export const FOREIGN_TOOL_WORDS: ForeignWords = {
  'id toolName title displayName': (_, options) =>
    (options as { name?: unknown }).name ? 'leave it out: a model calls a tool by its `name`' : 'write `name`',
  'inputSchema schema args argsSchema params arguments input': PARAMETERS_REMEDY,
  'func fn handler call run invoke callback implementation': EXECUTE_REMEDY,
  function: functionRemedy,
  type: (value, options) =>
    'function' in options ? functionRemedy(undefined) : 'leave it out: what `tool` makes is a function of the program',
  'outputSchema resultSchema returns': 'leave it out: a model reads the result as text or JSON',
  strict: 'leave it out: arguments are checked against `parameters` before every call',
  'requireApproval requiresApproval approval interrupt confirm': 'write `needsApproval`',
  'timeoutMs timeoutSeconds': 'write `timeout`, in seconds',
  'errorFunction failureErrorFunction onError handleToolError':
    'leave it out: what `execute` throws is told to the model',
  'toModelOutput experimental_toToolResultContent': 'return `toolContent(parts)` from `execute`',
  'onInputStart onInputDelta onInputAvailable onOutput':
    'leave it out, and read the events of `agent.runStream(question)`',
  returnDirect: 'leave it out: the `toolCalls` of the result of a run have what the tool returned',
  'isEnabled enabled':
    'leave it out, and give the tool to the runs that may call it, as in `agent.run(question, { tools })`',
}

/** Says what a value is that is no tool, and how to make one of it. */
export function noToolText(value: unknown): string {
  if (typeof value === 'function') {
    const { name } = value
    const [its, execute] =
      name !== 'execute' && isIdentifier(name) ? [`name: '${name}'`, `execute: ${name}`] : ['name', 'execute']
    return `a function is not a tool: make one with \`tool({ ${its}, description, parameters, ${execute} })\``
  }
  if (typeof value !== 'object' || value === null) {
    const shown = value === null || value === undefined ? String(value) : `a ${typeof value}`
    return `${shown} is not a tool: make one with ${TOOL_CODE}`
  }
  return noToolOf(value)
}

function noToolOf(value: object): string {
  const fields = value as Readonly<Record<string, unknown>>
  if (typeof fields['then'] === 'function') return 'a promise is not a tool: await it first'
  if (typeof fields['tools'] === 'function') {
    return "a connection is not a tool: give its tools, as in `connection.tools({ allow: 'all' })`"
  }
  if (fields['type'] === 'function') {
    return `the schema of a function is not a tool, since nothing executes it: make one with ${TOOL_CODE}`
  }
  const schema = 'inputSchema' in fields ? 'inputSchema' : 'parameters'
  if (hasExecute(fields) && schema in fields) {
    return `a tool of another library is not a tool here: make one with \`tool({ name, description, parameters: its.${schema}, execute: its.execute })\``
  }
  const names = Object.keys(value)
  if (names.length > 0 && names.every((name) => hasExecute(fields[name]))) {
    const list = names.filter(isIdentifier).slice(0, 3)
    return `an object of tools is not a tool: give a list, as in \`[${list.join(', ')}]\`; each tool has a \`name\` of its own`
  }
  return `an object is not a tool: make one with ${TOOL_CODE}`
}

const isIdentifier = (name: string): boolean => /^[a-z_$][\w$]{0,40}$/iu.test(name)

const hasExecute = (value: unknown): boolean => typeof (value as { execute?: unknown } | null)?.execute === 'function'
