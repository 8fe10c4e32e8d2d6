/** A fault of the provider that authors begin with: a part of its source, and what stands there instead. */
export type Mutation = readonly [part: string, instead: string]

/** Faults that authors make when they change the template to the wire format of their provider. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'system messages are dropped': ["system: system.map(({ text }) => text).join('\\n\\n'),", ''],
  'only the first system message is sent': ["text).join('\\n\\n')", 'text)[0]'],
  'texts are dropped': ['return { text: part.text }', 'return {}'],
  'everybody is the user': ['turns.map(({ role, parts }) => ({ role,', "turns.map(({ parts }) => ({ role: 'user',"],
  'calls of the assistant are dropped': [
    'return { call: { id: part.id, name: part.name, args: part.args } }',
    'return {}',
  ],
  'names of calls are dropped': ['call: { id: part.id, name: part.name,', 'call: { id: part.id,'],
  'arguments of calls are dropped': ['args: part.args }', 'args: {} }'],
  'results of tools are dropped': ['result: { id: part.id, text,', 'result: { id: part.id,'],
  'images are dropped': ['{ image: { type: media.mediaType, base64: media.data } }', "{ text: '' }"],
  'the bytes of images are dropped': [', base64: media.data', ''],
  'the model is not named': ['        model,\n        system', '        system'],
  '`max_tokens` is dropped': ['...(limit !== undefined && { limit }),', ''],
  '`max_completion_tokens` is dropped': ['params.max_completion_tokens ?? params.max_tokens', 'params.max_tokens'],
  'the older `max_tokens` is dropped': [
    'params.max_completion_tokens ?? params.max_tokens',
    'params.max_completion_tokens',
  ],
  '`temperature` is dropped': ['...(temperature !== undefined && { temperature }),', ''],
  'a `temperature` of 0 is dropped': ['temperature !== undefined && {', 'temperature && {'],
  '`top_p` is dropped': ['...(top_p !== undefined && { top_p }),', ''],
  '`stop` is dropped': ['...(stop !== undefined && { stop: [stop].flat() }),', ''],
  'one `stop` of several is sent': ['[stop].flat()', '[stop].flat().slice(0, 1)'],
  '`tool_choice` is dropped': ['...(choice !== undefined && { choice: lowerChoice(choice, context.names) }),', ''],
  'tools are dropped': ['...(tools.length > 0 && {', '...(tools.length > 99 && {'],
  'tools keep names that the provider refuses': ['name: context.names.to(tool.name)', 'name: tool.name'],
  'tools are sent by name only': ['({ ...tool, name:', '({ name:'],
  'nothing asks for a stream': ['streamed: (body) => ({ ...body, stream: true }),', ''],
  'the key is not sent': ['authorization: `Bearer ${key}`', ''],
  'a key is no function': ['          config,\n', '          config: { ...config, apiKey: String(config.apiKey) },\n'],
  '`defaultHeaders` are not sent': [
    '          config,\n',
    '          config: { ...config, defaultHeaders: undefined },\n',
  ],
  'the signal does not reach the request': [
    '          config,\n',
    '          config: { ...config, fetch: (url, init) => config.fetch(url, { ...init, signal: undefined }) },\n',
  ],
  'redirects are left to the platform': [
    '          config,\n',
    "          config: { ...config, fetch: (url, init) => config.fetch(url, { ...init, redirect: 'follow' }) },\n",
  ],
  'texts of the answer are lost': ['if (piece.text !== undefined) answer.text(piece.text)', ''],
  'reasoning is lost': ['if (piece.thought !== undefined) answer.reasoning(piece.thought)', ''],
  'reasoning is shown as text': ['answer.reasoning(piece.thought)', 'answer.text(piece.thought)'],
  'calls are lost': ['if (piece.call) {', 'if (false) {'],
  'arguments of calls are encoded twice': [
    'JSON.stringify(piece.call.args)',
    'JSON.stringify(JSON.stringify(piece.call.args))',
  ],
  'usage is missing': ['if (piece.tokens) answer.usage', 'if (false) answer.usage'],
  'usage is swapped': [
    'prompt: piece.tokens.in, completion: piece.tokens.out',
    'prompt: piece.tokens.out, completion: piece.tokens.in',
  ],
  'usage counts one side': ['completion: piece.tokens.out', 'completion: 0'],
  'every answer ends well': ['answer.finish(FINISH[piece.stop] ?? piece.stop.toLowerCase())', "answer.finish('stop')"],
  'the reason of the end is missing': [
    'if (piece.stop) answer.finish(FINISH[piece.stop] ?? piece.stop.toLowerCase())',
    '',
  ],
  'a stream ends with its first piece': ['return piece.stop !== undefined', 'return true'],
  'an error in a stream is passed over': ['if (piece.error) throw inBandFailure(piece)', ''],
  'an unknown piece ends the call': [
    'const piece = frame as AcmePiece',
    "const piece = frame as AcmePiece; if (Object.keys(piece).length === 1 && 'weather' in piece) throw new Error('unknown')",
  ],
}
