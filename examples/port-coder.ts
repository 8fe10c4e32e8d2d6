// A simulated model; with a key, the config of the first region names a real one.
import { scriptedModel } from '@x/testing'
// #region imports
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { codeExecutionConfig } from '@x/exec'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
// #endregion

const simulated = scriptedModel(
  [
    'I count the primes:\n\n```python\ncount = sum(all(n % d for d in range(2, n)) for n in range(2, 100))\nprint(count)\n```',
    'There are 25 primes below 100. TERMINATE',
  ],
  { repeatLast: true },
)

// #region model
const apiKey = process.env.OPENAI_API_KEY
const config = apiKey
  ? llmConfig({
      providers: [openai],
      configList: [{ model: 'gpt-5-mini', apiKey }],
      temperature: 0,
      cacheSeed: 42,
    })
  : simulated
// #endregion

// #region agents
const coder = new AssistantAgent({ name: 'coder', llmConfig: config })

const user = new UserProxyAgent({
  name: 'user',
  humanInputMode: 'NEVER',
  maxConsecutiveAutoReply: 8,
  isTerminationMsg: ({ content }) => typeof content === 'string' && content.trimEnd().endsWith('TERMINATE'),
  codeExecutionConfig: codeExecutionConfig({ workDir: '.cache/coding', timeout: 60 }),
})
// #endregion

// #region chat
const result = await user.initiateChat(coder, {
  message: 'How many primes are there below 100?',
  summaryMethod: 'last_msg',
})
console.log(result.summary)
console.log(result.cost.usageIncludingCachedInference)
// #endregion
