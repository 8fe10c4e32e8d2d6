import { UserProxyAgent, tool } from '../../packages/agent/src/index.ts'
import { printable } from '../../packages/agent/src/console/console-io.ts'
import { ResultJudge } from '../../packages/agent/src/chat/result-judge.steps.ts'
import { fillTemplate, messageText, normalizeName, saysTerminate } from '../../packages/agent/src/data/message.ts'
import { readLines } from '../../packages/agent/src/durability/sealed-entries.ts'
import { escapeTexts, unescapeTexts } from '../../packages/kernel/src/journal-entries.ts'
import { llmRemedy, modelRemedy } from '../../packages/agent/src/agent/model-remedy.ts'
import { checkValue } from '../../packages/kernel/src/schema/check-schema.ts'
import { compileSchema } from '../../packages/kernel/src/schema/compile-schema.ts'
import { FORMATS } from '../../packages/kernel/src/schema/formats.ts'
import { codeReader, contentText as codeText } from '../../packages/exec/src/read/code-reader.ts'
import { commandWarning } from '../../packages/exec/src/read/command-warning.ts'
import { nameFault, requestedName } from '../../packages/exec/src/read/file-name.ts'
import { extractCode, markdownCode } from '../../packages/exec/src/read/reference-reading.ts'
import { plainText as plainOutput } from '../../packages/exec/src/run/plain-text.ts'
import { quietPip } from '../../packages/exec/src/run/plan.ts'
import { readMessage } from '../../packages/exec/src/jupyter/messages.ts'
import { fillVariables } from '../../packages/group/src/handoff/context-variables.ts'
import { expression } from '../../packages/group/src/handoff/expression.ts'
import { readClearCommand } from '../../packages/group/src/run/clear-histories.ts'
import { countMentions } from '../../packages/group/src/speaker/ask-model.steps.ts'
import { estimateText } from '../../packages/history/src/count/text-tokens.ts'
import { encodingOf } from '../../packages/history/src/count/tokenizer.steps.ts'
import { shortenText } from '../../packages/history/src/draft/shorten.ts'
import { contentText as partsText, toolContent } from '../../packages/kernel/src/content-parts.ts'
import { nearestName } from '../../packages/kernel/src/check-options.ts'
import { isSecretName, redact, redactData } from '../../packages/kernel/src/redact.ts'
import { blockText, toContentBlock, toContentPart } from '../../packages/mcp/src/text/content-blocks.ts'
import { readResult } from '../../packages/mcp/src/text/mcp-result.ts'
import { plainLine, plainSchema, plainText } from '../../packages/mcp/src/text/plain-text.ts'
import { toolNameFor } from '../../packages/mcp/src/client/tool-name.ts'
import { refElsewhere, urlToTry } from '../../packages/model/src/config/endpoint-advice.ts'
import { withoutEndSlashes } from '../../packages/model/src/config/entry.ts'
import { checkBaseUrl } from '../../packages/model/src/config/slot.ts'
import { configListFromJson } from '../../packages/model/src/config/config-list.ts'
import { instantiate } from '../../packages/model/src/request/instantiate.ts'
import { toWireFormat } from '../../packages/model/src/request/response-format.ts'
import { maxTokensIn, tokensIn } from '../../packages/model/src/usage/token-estimate.ts'
import type { Reader } from './growth.ts'

const CODE_MARKS = [
  '```',
  '```python\n',
  '`',
  '~~~',
  '    ',
  '\t',
  '\r\n',
  '> ',
  '- ',
  '1. ',
  'x```\n',
  'mv ',
  '/dev/null',
  'pip install ',
  '# filename: ',
  '<!-- ',
  '"""',
  '(',
  'if x:\n',
  '\u001b[',
]
const NAME_MARKS = ['coder', 'critic', 'the_coder', 'the coder', 'the\\_coder', 'the', '_', '\\', '-', '.', 'Coder']
const SECRET_MARKS = [
  'sk-',
  'Bearer ',
  'Basic ',
  'AIza',
  '//',
  ':',
  '@',
  '?key=',
  '?code=',
  '\\u0026sig=',
  '&token=',
  'api_key',
  'password: ',
  '"token":"',
  'eyJ',
  'ghp_',
  'abcdefgh',
  'abcdefgh12',
  '%',
  '&quot;',
  '=',
  '-',
]
const JSON_MARKS = ['{"a":', '[', ']', '}', '"', '\\', ',', '```json\n', '```', '\\u00']
const HIDDEN_MARKS = ['\u200b', '\u202e', '\ud800', '\u{e0041}', '\r', '\r\n', '\ufe0f', '\u001b[2J', '\t']
const TEMPLATE_MARKS = ['{', '}', '{{', '}}', '{name}', '{a', '\\']
const URL_MARKS = ['https://', '/', '//', '@', ':', '?', '#', '%', '/openai', '/deployments/', '/v1']
const DATA_MARKS = ['data:', 'image/png', ';base64,', ';a=b', ',', '=', 'iVBORw0KGgo', ' ', '/', '%']

const agent = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', io: { send: () => {}, input: () => '' } })
agent.registerForExecution(
  tool({
    name: 'echo',
    description: 'E.',
    parameters: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    execute: () => 1,
  }),
)
const secrets = ['abcdefgh12345678', 'abcdefgh"<>%/ &é', 'aaaaaaaaaaaaaaaa']

function run(steps: Generator): unknown {
  return steps.next().value
}

const schemaCheck = (schema: Record<string, unknown>): Reader['read'] => {
  const compiled = compileSchema(schema)
  return (text) => checkValue(compiled as never, text)
}

/** Readers of what models, users, servers and files give to agents and groups. */
export const READERS: Readonly<Record<string, Reader>> = {
  redact: { read: (text) => redact(text, secrets), sources: ['packages/kernel/src/redact.ts'], marks: SECRET_MARKS },
  redactData: { read: (text) => redactData({ [text]: [text] }, secrets), marks: SECRET_MARKS },
  'the forms of a secret': {
    read: (text) => redact('x', [text.slice(0, 50_000)]),
    marks: ['%', '"', '\\', '&', '/', 'é'],
  },
  isSecretName: { read: isSecretName, marks: ['key', 'token', 'tokens', 'tool', 'auth'] },
  nearestName: {
    read: (text) => nearestName(text, ['properties', 'timeout', 'maxTurns'], true),
    marks: ['properties', '_', 'timeout'],
  },
  toolContent: {
    read: (text) =>
      toolContent([{ type: 'image_url', image_url: { url: `data:image/png;base64,iVBORw0KGgo${text}` } }]),
    sources: ['packages/kernel/src/content-parts.ts'],
    marks: DATA_MARKS,
  },
  'the address of an image': {
    read: (text) => toolContent([{ type: 'image_url', image_url: { url: text } }]),
    marks: DATA_MARKS,
  },
  'the line of a part': {
    read: (text) =>
      partsText([
        { type: 'image_url', image_url: { url: text } },
        { type: 'file', file: { filename: text, file_data: text } },
      ]),
    marks: DATA_MARKS,
  },
  printable: { read: printable, marks: HIDDEN_MARKS },
  normalizeName: { read: normalizeName, marks: NAME_MARKS },
  fillTemplate: { read: (text) => fillTemplate(text, () => 'x'), marks: TEMPLATE_MARKS },
  'the text of a message': { read: (text) => messageText({ role: 'user', content: text }), marks: ['TERMINATE', ' '] },
  saysTerminate: {
    read: (text) => saysTerminate({ role: 'user', content: text }),
    marks: ['TERMINATE', 'TERM', ' ', '.'],
  },
  'the texts of a journal': {
    read: (text) => unescapeTexts(escapeTexts({ [text]: text })),
    marks: ['\u001a', '\u001a0000', '\0', '\ud800'],
  },
  'the lines of a journal': {
    read: readLines,
    marks: ['{"a":1}\n', '{', ',"checksum":"00000000"}', ',"checksum":"', '\n', '"'],
  },
  'the answer of a run': {
    read: (text) =>
      run(new ResultJudge({ type: 'object' }, { type: 'object' }, 1).fits({ role: 'assistant', content: text })),
    marks: [...JSON_MARKS, 'TERMINATE', '```\n'],
  },
  'the arguments of a call': {
    read: async (text) => await agent.executeFunction({ name: 'echo', arguments: text }),
    marks: [...JSON_MARKS, '\n', '\t', '"__proto__":'],
  },
  'a text in the arguments of a call': {
    read: async (text) => await agent.executeFunction({ name: 'echo', arguments: JSON.stringify({ a: text }) }),
    marks: ['aa', '!', '"', '\n'],
  },
  'the name of a called function': {
    read: async (text) => await agent.executeFunction({ name: text, arguments: '{}' }),
    marks: ['echo', 'ech', '_'],
  },
  modelRemedy: {
    read: (text) => modelRemedy(text, true),
    sources: ['packages/agent/src/agent/model-remedy.ts'],
    marks: ['openai', '/', ':', 'gpt-', 'sk-', '-'],
  },
  llmRemedy: { read: (text) => llmRemedy({ model: text, provider: text }), marks: ['openai', '/', ':', 'gpt-', '.'] },
  'a pattern of a schema': {
    read: schemaCheck({ type: 'string', pattern: '^(?=(a+)+$)(?:[a-z0-9 ]|\\n)*$' }),
    marks: ['a', '!', 'ab'],
  },
  ...Object.fromEntries(
    [...FORMATS].map(([format, read]): [string, Reader] => [
      `the format ${format}`,
      { read, marks: ['http://', 'a.', '-', ':', '@', '/', '~1', '{', '}', '%20', 'P1', '1:', '#'] },
    ]),
  ),
  'code in fences': { read: (text) => codeReader({ inferLang: () => '' }).extractCode(text), marks: CODE_MARKS },
  'code as the reference reads it': {
    read: (text) => extractCode(text, { detectSingleLineCode: true }),
    marks: CODE_MARKS,
  },
  'code in Markdown': { read: (text) => markdownCode(text, () => ''), marks: CODE_MARKS },
  'the language of code': { read: (text) => codeReader().inferLang(text), marks: CODE_MARKS },
  'the text of code': { read: (text) => codeText([{ type: 'text', text }]), marks: CODE_MARKS },
  commandWarning: { read: commandWarning, sources: ['packages/exec/src/read/command-warning.ts'], marks: CODE_MARKS },
  requestedName: { read: requestedName, sources: ['packages/exec/src/read/file-name.ts'], marks: CODE_MARKS },
  nameFault: {
    read: (text) => nameFault(text),
    sources: ['packages/exec/src/read/file-name.ts'],
    marks: ['../', '/', '\\', '.', 'C:', 'con'],
  },
  quietPip: { read: (text) => quietPip(text, 'sh'), marks: ['pip install ', '!pip', ' -', '\n', '-qqq'] },
  plainOutput: {
    read: plainOutput,
    sources: ['packages/exec/src/run/plain-text.ts'],
    marks: [...HIDDEN_MARKS, '\u009b', '\u001b]', ';', '?'],
  },
  'messages of a kernel': { read: readMessage, marks: JSON_MARKS },
  expression: {
    read: (text) => expression(text),
    sources: ['packages/group/src/handoff/expression.ts'],
    marks: ['(', ')', '${a}', '"', "'", ' and ', ' not ', '==', 'len(', '\\', '1_', '['],
  },
  'a template of a group': { read: (text) => fillVariables(text, { a: 1 }, () => {}), marks: TEMPLATE_MARKS },
  readClearCommand: {
    read: (text) => readClearCommand(text, ['coder']),
    sources: ['packages/group/src/run/clear-histories.ts'],
    marks: ['CLEAR ', 'HISTORY ', 'CLEAR', 'coder ', '3 ', '!', '"'],
  },
  countMentions: { read: (text) => countMentions(text, ['coder', 'the_coder', 'critic'], ['the']), marks: NAME_MARKS },
  estimateText: { read: estimateText, marks: ['word ', 'é', '日', '🙂', '\ud800', '1'] },
  encodingOf: { read: encodingOf, marks: ['gpt-', 'openai/', 'o1', '-'] },
  shortenText: { read: (text) => shortenText(text, 1000, estimateText), marks: ['word ', '🙂', '\ud800', '\n'] },
  'text of a server': { read: (text) => plainText(text, Infinity), marks: HIDDEN_MARKS },
  'a line of a server': { read: (text) => plainLine(text, Infinity), marks: HIDDEN_MARKS },
  'a schema of a server': {
    read: (text) => plainSchema({ description: text, title: text, enum: [text] }),
    marks: HIDDEN_MARKS,
  },
  'the name of a tool of a server': {
    read: async (text) => await toolNameFor('s', text),
    marks: ['_', '__', '.', '_0123456789', 'é'],
  },
  'a block of a server': {
    read: (text) => {
      const block = { type: 'resource', resource: { uri: text, mimeType: 'application/pdf', blob: 'AAAA' } } as const
      return [toContentPart(block), blockText(block), toContentPart({ type: 'image', mimeType: text, data: text })]
    },
    marks: [...DATA_MARKS, 'attachment:', '%20'],
  },
  'a part for a client': {
    read: (text) => toContentBlock({ type: 'image_url', image_url: { url: `data:${text}` } }),
    marks: DATA_MARKS,
  },
  'a result of a server': {
    read: (text) => readResult('s', { content: [{ type: 'text', text }] }, Infinity),
    marks: ['TERMINATE', 'TERMINATE.', '.', '!', ...HIDDEN_MARKS],
  },
  'many blocks of a server': {
    read: (text) =>
      readResult('s', { content: text.split('|').map((each) => ({ type: 'text', text: each })) }, Infinity),
    marks: ['|', 'TERMINATE|', 'a|'],
  },
  'an address in a config': {
    read: (text) => [
      urlToTry({ baseUrl: `https://a.invalid/${text}` }),
      withoutEndSlashes(text),
      checkBaseUrl({ baseUrl: text }, 0),
    ],
    marks: URL_MARKS,
  },
  refElsewhere: { read: (text) => refElsewhere(text), marks: ['openai', '/', ':', '-', 'gpt-5'] },
  configListFromJson: { read: (text) => configListFromJson(`[${text}`), marks: JSON_MARKS },
  instantiate: {
    read: (text) => instantiate(text, { a: 1, name: 'x' }, true),
    sources: ['packages/model/src/request/instantiate.ts'],
    marks: TEMPLATE_MARKS,
  },
  'the title of a schema': { read: (text) => toWireFormat({ title: text, type: 'object' }), marks: ['é', '_', ' '] },
  'estimates of tokens': { read: (text) => [tokensIn({ text }), maxTokensIn([text])], marks: DATA_MARKS },
}
