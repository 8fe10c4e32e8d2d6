// Without keys, a `fetch` of this file answers for Anthropic, Google, Cohere and the clouds of Claude: programs that import it run anywhere.
const claude = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Simulated: Paris.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 12, output_tokens: 4 },
}
const answers: Readonly<Record<string, object>> = {
  'api.anthropic.com': claude,
  'bedrock-runtime.us-east-1.amazonaws.com': claude,
  'aiplatform.googleapis.com': claude,
  'api.cohere.com': {
    message: { role: 'assistant', content: [{ type: 'text', text: 'Simulated: Paris.' }] },
    finish_reason: 'COMPLETE',
    usage: { tokens: { input_tokens: 12, output_tokens: 4 } },
  },
  'generativelanguage.googleapis.com': {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Simulated: Paris.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4, totalTokenCount: 16 },
  },
}

if (!process.env.ANTHROPIC_API_KEY && !process.env.GEMINI_API_KEY && !process.env.GOOGLE_API_KEY) {
  process.env.ANTHROPIC_API_KEY = 'sk-of-the-example'
  process.env.AWS_ACCESS_KEY_ID ??= 'id-of-the-example'
  process.env.AWS_SECRET_ACCESS_KEY ??= 'key-of-the-example'
  process.env.GEMINI_API_KEY = 'key-of-the-example'
  globalThis.fetch = (input) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input)
    return Promise.resolve(Response.json(answers[hostname]))
  }
}
