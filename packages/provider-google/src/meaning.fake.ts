import type { PlainAnswer, PlainPart, PlainRequest, WireMeaning } from '@x/testing/provider-contract'

interface Part {
  text?: string
  thought?: boolean
  inlineData?: { mimeType: string; data: string }
  fileData?: { fileUri: string }
  functionCall?: { id?: string; name: string; args?: object }
  functionResponse?: { id?: string; name: string; response: { output?: string; error?: string }; parts?: Part[] }
}

interface Body {
  contents: { role: 'user' | 'model'; parts: Part[] }[]
  systemInstruction?: { parts: Part[] }
  tools?: { functionDeclarations?: { name: string; description?: string; parametersJsonSchema?: object }[] }[]
  toolConfig?: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } }
  generationConfig?: {
    maxOutputTokens?: number
    temperature?: number
    topP?: number
    topK?: number
    seed?: number
    candidateCount?: number
    stopSequences?: string[]
    presencePenalty?: number
    frequencyPenalty?: number
    responseMimeType?: string
    responseJsonSchema?: object
    thinkingConfig?: { thinkingBudget?: number }
  }
}

/** Levels of `reasoning_effort` by the tokens that the adapter asks for. */
const LEVELS: Readonly<Record<number, string>> = {
  0: 'none',
  512: 'minimal',
  1024: 'low',
  8192: 'medium',
  24_576: 'high',
}

function decodePart(part: Part): PlainPart {
  const { text, thought, inlineData, fileData, functionCall: call, functionResponse: result } = part
  if (inlineData) {
    const { mimeType: mediaType, data } = inlineData
    return { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, data }
  }
  if (fileData) return { type: 'link', url: fileData.fileUri }
  if (call) return { type: 'call', id: call.id, name: call.name, args: call.args ?? {} }
  if (result) {
    const { response, parts = [] } = result
    const said = response.error ?? response.output ?? ''
    return {
      ...{ type: 'result', id: result.id, name: result.name, failed: response.error !== undefined },
      parts: [{ type: 'text', text: said }, ...parts.map(decodePart)],
    }
  }
  return { type: thought === true ? 'reasoning' : 'text', text: text ?? '' }
}

function decodeChoice({ toolConfig }: Body): PlainRequest['choice'] {
  const { mode, allowedFunctionNames: [name] = [] } = toolConfig?.functionCallingConfig ?? {}
  if (mode === 'NONE') return 'none'
  if (mode === 'ANY') return name === undefined ? 'required' : { name }
  return 'auto'
}

const decode: WireMeaning['decode'] = (given, { url }) => {
  const body = given as unknown as Body
  const { generationConfig: config = {}, tools = [] } = body
  const declared = tools.flatMap(({ functionDeclarations: each = [] }) => each)
  // A tool that has to be called stands for an answer in JSON beside tools.
  const json = declared.find(({ description }) => description === 'Gives the answer; it must be called.')
  const functions = declared.filter((each) => each !== json)
  const budget = config.thinkingConfig?.thinkingBudget
  return {
    model: /models\/([^:]+):/u.exec(url)?.[1] ?? '',
    stream: url.includes(':streamGenerateContent'),
    messages: [
      { role: 'system', parts: (body.systemInstruction?.parts ?? []).map(decodePart) },
      ...body.contents.map(({ role, parts }) => ({
        role: role === 'model' ? ('assistant' as const) : role,
        parts: parts.map(decodePart),
      })),
    ],
    ...(functions.length > 0 && {
      tools: functions.map(({ name, description, parametersJsonSchema: parameters }) => ({
        ...{ name, description, parameters },
      })),
    }),
    choice: json ? 'auto' : decodeChoice(body),
    maxTokens: config.maxOutputTokens,
    temperature: config.temperature,
    topP: config.topP,
    topK: config.topK,
    stop: config.stopSequences,
    seed: config.seed,
    presencePenalty: config.presencePenalty,
    frequencyPenalty: config.frequencyPenalty,
    effort: budget === undefined ? undefined : LEVELS[budget],
    n: config.candidateCount,
    format: json
      ? json.parametersJsonSchema
      : config.responseMimeType === undefined
        ? undefined
        : (config.responseJsonSchema ?? 'json'),
  }
}

function usageOf({ usage }: PlainAnswer): object {
  if (!usage) return {}
  const { prompt, completion, cached, reasoning = 0 } = usage
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: completion - reasoning,
      ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
      ...(cached !== undefined && { cachedContentTokenCount: cached }),
      totalTokenCount: prompt + completion,
    },
  }
}

interface Candidate {
  index: number
  parts: Part[]
  finishReason?: string
}

const bodyOf = (answer: PlainAnswer, candidates: Candidate[]): object => ({
  candidates: candidates.map(({ index, parts, finishReason }) => ({
    content: { role: 'model', ...(parts.length > 0 && { parts }) },
    ...(finishReason !== undefined && { finishReason }),
    index,
  })),
  ...usageOf(answer),
  ...(answer.model !== '' && { modelVersion: answer.model }),
  responseId: answer.id,
})

/** Meaning of `generateContent`. */
export const MEANING: WireMeaning = {
  decode,
  whole: (answer) =>
    bodyOf(
      answer,
      answer.choices.map(({ reasoning, text, calls, finish }, index) => ({
        index,
        parts: [
          ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
          ...(text === '' ? [] : [{ text }]),
          ...calls.map((call) => ({ functionCall: call })),
        ],
        finishReason: finish,
      })),
    ),
  frames: (answer) =>
    answer.pieces
      .map((piece): Candidate => {
        const { type, choice: index } = piece
        if (type === 'finish') return { index, parts: [], finishReason: piece.word }
        if (type === 'call') {
          const { id, name, args } = piece
          return { index, parts: [{ functionCall: { id, name, args } }] }
        }
        if (type === 'callStart' || type === 'callEnd') return { index, parts: [] }
        return { index, parts: [{ text: piece.text, ...(type === 'reasoning' && { thought: true }) }] }
      })
      .map((candidate) => `data: ${JSON.stringify(bodyOf(answer, [candidate]))}\n\n`),
  finish: {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'content_filter',
    RECITATION: 'content_filter',
    BLOCKLIST: 'content_filter',
    PROHIBITED_CONTENT: 'content_filter',
    SPII: 'content_filter',
    IMAGE_SAFETY: 'content_filter',
    IMAGE_PROHIBITED_CONTENT: 'content_filter',
    IMAGE_RECITATION: 'content_filter',
  },
  lacks: [
    // They stand behind the results of their turn.
    'result-images',
    'text-parts',
    'answer-created',
    'parallel_tool_calls',
    'presence_penalty',
    'frequency_penalty',
    'stream-end',
    'reasoning-history',
  ],
  alternates: true,
  url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
  headers: (key) => ({ 'x-goog-api-key': key }),
  key: 'google',
}
