import './simulated-wires.ts'
// #region program
import { createAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { anthropicBedrock } from '@x/provider-anthropic/bedrock'
import { anthropicVertex } from '@x/provider-anthropic/vertex'

// With `google-auth-library`: `async () => (await auth.getAccessToken())!`
const accessToken = async () => process.env.VERTEX_ACCESS_TOKEN ?? 'token-of-the-example'

const model = llmConfig({
  providers: [anthropicBedrock, anthropicVertex],
  configList: [
    // Signed with the keys of the environment, or with `credentials`: keys, or a function that returns them.
    { apiType: 'anthropic-bedrock', model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', region: 'us-east-1' },
    // Where the first one fails, the same conversation goes on here, with its thinking.
    { apiType: 'anthropic-vertex', model: 'claude-sonnet-4-5@20250929', project: 'my-project', apiKey: accessToken },
  ],
})
const { text } = await createAgent({ name: 'assistant', model }).run('What is the capital of France?')
console.log(text)
// #endregion
