import type { WireRefusal, WireRequest } from '../wire/wire-format.ts'

type Part = Record<string, unknown>

interface Content {
  role: string
  parts: Part[]
}

const bad = (message: string): WireRefusal => ({ status: 400, message })

const REQUEST_KEYS = new Set(
  'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels'.split(' '),
)

const GENERATION_CONFIG_KEYS = new Set(
  'temperature topP topK maxOutputTokens stopSequences candidateCount seed presencePenalty frequencyPenalty responseLogprobs logprobs responseMimeType responseSchema responseJsonSchema thinkingConfig responseModalities speechConfig mediaResolution'.split(
    ' ',
  ),
)

/** Returns the reason why Google would refuse a request; undefined when it would accept it. */
export function googleRefusal({ path, query, headers, body }: WireRequest): WireRefusal | undefined {
  const match = /^\/v1(?:beta)?\/((?:models|tunedModels)\/[^/:]+):(generateContent|streamGenerateContent)$/u.exec(path)
  if (!match) return { status: 404, message: `no such path: ${path}` }
  if ('key' in query) return bad('a key in the URL')
  if (!headers['x-goog-api-key']) return { status: 403, message: "Method doesn't allow unregistered callers" }
  if (match[2] === 'streamGenerateContent' && query['alt'] !== 'sse')
    return bad('the stream was not asked for as events')
  const unknown = Object.keys(body).find((key) => !REQUEST_KEYS.has(key))
  if (unknown !== undefined) return bad(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`)
  const generation = Object.keys((body['generationConfig'] as object | undefined) ?? {}).find(
    (key) => !GENERATION_CONFIG_KEYS.has(key),
  )
  if (generation !== undefined) return bad(`Unknown name "${generation}" at 'generation_config': Cannot find field.`)
  const contents = body['contents'] as Content[] | undefined
  if (!Array.isArray(contents) || contents.length === 0) return bad('contents is not specified')
  const system = (body['systemInstruction'] as { parts?: Part[] } | undefined)?.parts
  if (system?.some(({ text }) => text === '')) return bad('system_instruction.parts: text is empty')
  return (
    generationRefusal(body['generationConfig'] ?? {}, match[1]!, body['tools'] !== undefined) ??
    declarations(body) ??
    turns(contents, match[1]!)
  )
}

interface Generation {
  temperature?: number
  topP?: number
  candidateCount?: number
  maxOutputTokens?: number
  stopSequences?: string[]
  presencePenalty?: number
  frequencyPenalty?: number
  responseLogprobs?: boolean
  logprobs?: number
  responseMimeType?: string
  responseSchema?: object
  responseJsonSchema?: object
  thinkingConfig?: { thinkingBudget?: number; thinkingLevel?: string }
}

function generationRefusal(given: Generation, model: string, tools: boolean): WireRefusal | undefined {
  const { temperature = 1, topP = 1, candidateCount = 1, maxOutputTokens = 1, stopSequences = [] } = given
  if (temperature < 0 || temperature > 2) return bad('temperature must be in the range [0.0, 2.0]')
  if (topP < 0 || topP > 1) return bad('top_p must be in the range [0.0, 1.0]')
  if (candidateCount < 1 || candidateCount > 8) return bad('candidate_count must be in the range [1, 8]')
  if (maxOutputTokens < 1) return bad('max_output_tokens must be positive')
  const most = maxOutputOf(model)
  if (maxOutputTokens > most) return bad(`max_output_tokens must be in the range [1, ${most}]`)
  if (stopSequences.length > 5 || stopSequences.includes('')) {
    return bad('stop_sequences: at most 5 sequences, none of them empty')
  }
  if (given.logprobs !== undefined && !given.responseLogprobs) return bad('Logprobs is set without response_logprobs')
  const shaped = given.responseSchema !== undefined || given.responseJsonSchema !== undefined
  if (shaped && given.responseMimeType !== 'application/json') {
    return bad('response schema is only supported with the response mime type application/json')
  }
  const version = Number(/gemini-(\d+(?:\.\d+)?)/u.exec(model)?.[1] ?? 0)
  if (given.responseMimeType === 'application/json' && tools && version < 3) {
    return bad("Function calling with a response mime type: 'application/json' is unsupported")
  }
  if (version >= 2.5 && (given.presencePenalty !== undefined || given.frequencyPenalty !== undefined)) {
    return bad('Penalty is not enabled for this model')
  }
  return thinkingRefusal(given.thinkingConfig ?? {}, version, model)
}

/** Most tokens of an answer; no limit is known for names of other makers. */
function maxOutputOf(model: string): number {
  const version = Number(/gemini-(\d+(?:\.\d+)?)/u.exec(model)?.[1] ?? 0)
  if (version === 0) return Infinity
  return version < 2.5 ? 8192 : model.includes('image') ? 32_768 : 65_536
}

/** Levels of thinking that a model refuses. */
const REFUSED_LEVELS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/flash.*image/u, ['low', 'medium']],
  [/gemini-3-pro/u, ['minimal', 'medium']],
  [/-pro|gemini-3\.[78]-flash/u, ['minimal']],
]

function thinkingRefusal(
  { thinkingBudget: budget, thinkingLevel: level }: NonNullable<Generation['thinkingConfig']>,
  version: number,
  model: string,
): WireRefusal | undefined {
  if (budget !== undefined && level !== undefined) {
    return bad('You can only set one of thinking budget and thinking level.')
  }
  if (level !== undefined && version < 3) return bad('Thinking level is not supported for this model.')
  const refused = REFUSED_LEVELS.find(([names]) => names.test(model))?.[1] ?? []
  if (level !== undefined && refused.includes(level.toLowerCase())) {
    return bad(`'${level}' is not a supported thinking level for this model.`)
  }
  if (budget === 0 && version >= 3) return bad('Budget 0 is invalid. This model only works in thinking mode.')
  if (budget !== undefined && version < 2.5) return bad('Thinking is not supported by this model.')
  const least = model.includes('pro') ? 128 : 0
  return budget !== undefined && budget !== -1 && (budget < least || budget > 32_768)
    ? bad(`The thinking budget ${budget} is invalid. Please choose a value between ${least} and 32768.`)
    : undefined
}

interface Calling {
  mode?: string
  allowedFunctionNames?: string[]
}

interface Declaration {
  name: string
  parameters?: { properties?: object }
  parametersJsonSchema?: Record<string, unknown>
}

function declarations(body: Record<string, unknown>): WireRefusal | undefined {
  const tools = body['tools'] as { functionDeclarations?: Declaration[] }[] | undefined
  if (tools?.length === 0) return bad('tools: empty')
  const all = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
  const names = all.map(({ name }) => name)
  if (new Set(names).size < names.length) return bad('Duplicate function declaration found')
  for (const { name, parameters, parametersJsonSchema: schema } of all) {
    if (parameters && schema) return bad('parameters and parameters_json_schema are exclusive')
    if (schema?.['$schema'] !== undefined) return bad('Unknown name "$schema" at \'parameters_json_schema\'')
    if (!/^[A-Za-z_][\w.:-]{0,63}$/u.test(name)) {
      return bad(`Invalid function name "${name}". Must start with a letter or an underscore.`)
    }
    if (!parameters) continue
    if (Object.keys(parameters.properties ?? {}).length === 0) {
      return bad(`parameters.properties: should be non-empty for OBJECT type`)
    }
    const key = /"(\$schema|\$ref|additionalProperties|const|oneOf)":/u.exec(JSON.stringify(parameters))?.[1]
    if (key !== undefined)
      return bad(`Unknown name "${key}" at 'tools[0].function_declarations[0].parameters': Cannot find field.`)
  }
  const { mode, allowedFunctionNames: allowed } =
    (body['toolConfig'] as { functionCallingConfig?: Calling } | undefined)?.functionCallingConfig ?? {}
  if (allowed && mode !== 'ANY') return bad('allowed_function_names should only be set when the mode is ANY.')
  const strange = allowed?.find((name) => !names.includes(name))
  if (strange !== undefined) return bad(`allowed_function_names: \`${strange}\` is not declared`)
  return mode === 'ANY' && all.length === 0
    ? bad('Function calling config is set without function_declarations.')
    : undefined
}

function turns(contents: readonly Content[], model: string): WireRefusal | undefined {
  let open: string[] = []
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') return bad('Please use a valid role: user, model.')
    if (!Array.isArray(parts) || parts.length === 0) return bad(`contents[${at}].parts must not be empty.`)
    const wrong = parts.map((part) => partRefusal(part) ?? resultMediaRefusal(part, model)).find((refusal) => refusal)
    if (wrong) return wrong
    const responses = parts.flatMap(({ functionResponse: each }) => (each ? [(each as { name: string }).name] : []))
    if (responses.length !== open.length) {
      return bad(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    const strange = responses.find((name) => !open.includes(name))
    if (strange !== undefined) return bad(`function response for \`${strange}\`, which was not called`)
    const calls = parts.flatMap(({ functionCall: each }) => (each ? [(each as { name: string }).name] : []))
    if (calls.length > 0 && (role !== 'model' || contents[at - 1]?.role !== 'user')) {
      return bad(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    if (
      calls.length > 0 &&
      /gemini-[3-9]/u.test(model) &&
      !parts.some((part) => part['functionCall'] && part['thoughtSignature'])
    ) {
      return bad(`Function call is missing a thought_signature in functionCall parts. ${calls[0]}`)
    }
    open = calls
  }
  if (open.length > 0) return bad('the last function call turn has no function responses')
  return contents.at(-1)!.role === 'user'
    ? undefined
    : bad('Please ensure that multiturn requests end with a user role')
}

/** Types of media that a result may hold. */
const RESULT_MEDIA_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain'])

/** Checks media in results: since Gemini 3, inline, of some types. */
function resultMediaRefusal(part: Part, model: string): WireRefusal | undefined {
  const { parts } = (part['functionResponse'] as { parts?: { inlineData?: { mimeType?: string } }[] } | undefined) ?? {}
  if (parts === undefined) return undefined
  if (!/gemini-(?:[3-9]|\D)/u.test(model)) return bad('Multimodal function responses are not supported for this model')
  const strange = parts.find(({ inlineData: inline }) => !inline || !RESULT_MEDIA_TYPES.has(inline.mimeType ?? ''))
  return strange && bad(`function_response.parts: unsupported MIME type: ${strange.inlineData?.mimeType}`)
}

function partRefusal(part: Part): WireRefusal | undefined {
  // An empty text carries nothing, unless it carries a signature.
  if (part['text'] === '' && part['thoughtSignature'] === undefined) {
    return bad('Unable to submit request because it must have a text parameter')
  }
  const data = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'].filter(
    (key) => part[key] !== undefined,
  )
  if (data.length > 1) return bad('contents.parts: oneof field is already set')
  const call = part['functionCall'] as { name?: string; args?: unknown; thoughtSignature?: unknown } | undefined
  if (call && (typeof call.args !== 'object' || call.args === null || Array.isArray(call.args)))
    return bad('function_call.args: not a struct')
  if (call?.thoughtSignature !== undefined)
    return bad(`Unknown name "thoughtSignature" at 'function_call': Cannot find field.`)
  const result = part['functionResponse'] as { name?: string; response?: unknown } | undefined
  if (result) {
    const { name, response } = result
    if (!name) return bad('function_response.name: Name cannot be empty.')
    if (typeof response !== 'object' || response === null || Array.isArray(response))
      return bad('function_response.response: not a struct')
  }
  const inline = part['inlineData'] as { mimeType?: string } | undefined
  if (inline && !/^\w+\/[\w.+-]+$/u.test(inline.mimeType ?? '')) return bad('inline_data.mime_type: not a media type')
  const file = part['fileData'] as { fileUri?: string } | undefined
  if (file && !file.fileUri) return bad('file_data.file_uri: empty')
  const known = [
    'text',
    'functionCall',
    'functionResponse',
    'inlineData',
    'fileData',
    'executableCode',
    'codeExecutionResult',
  ]
  return known.some((key) => part[key] !== undefined) ? undefined : bad('contents.parts: data is required')
}
