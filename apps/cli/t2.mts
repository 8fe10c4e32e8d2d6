import { createAgent, openai, tool, ConversableAgent, UserProxyAgent } from '@x/kit'
import { scriptedModel } from '@x/testing'
import { groupTool } from '@x/group'
import { createOpenAI } from '@x/provider-openai'
const tryIt = async (n: string, f: any) => { try { console.log(n, '->', JSON.stringify(await f())?.slice(0, 200)) } catch (e: any) { console.log(n, '=>', e.code, e.message, '\n', e.stack?.split('\n').slice(1, 6).join('\n')) } }
const a = createAgent({ name: 'a', model: scriptedModel(['hi'], { repeatLast: true }) as any })
await tryIt('send', () => (a as any).send('hi'))
await tryIt('send2', () => (a as any).send('hi', 'x'))
async function mine() { return await a.run('x', { nope: 1 } as any) }
await tryIt('stack', mine)
delete process.env.OPENAI_API_KEY
async function mine2() { return await createAgent({ name: 'a', model: openai('gpt-5-mini') }).run('x') }
await tryIt('key', mine2)
await tryIt('createOpenAI', () => (createOpenAI as any)({ apiKey: 'sk-x', baseURL: 'http://localhost/v1' }))
await tryIt('cache', () => createAgent({ name: 'a', model: openai('m', { cache_seed: null } as any) }).name)
await tryIt('tools at model', () => createAgent({ name: 'a', model: openai('m', { apiKey: 'x', tools: [tool({ name: 't', description: 'd', execute: () => 1 })] } as any) }).name)
await tryIt('groupTool', () => (groupTool as any)({ name: 't', description: 'd', execute: () => 1 }))
await tryIt('timeout', () => createAgent({ name: 'a', model: { ...scriptedModel([{ delay: new Promise(() => {}), reply: 'x' }]) } as any }).run('x', { signal: AbortSignal.timeout(20) }))
await tryIt('timeout2', () => createAgent({ name: 'b', model: scriptedModel([{ delay: new Promise(() => {}), reply: 'x' }]) as any }).run('x', { signal: AbortSignal.timeout(20) }))
await tryIt('mastra', () => tool({ name: 't', description: 'd', execute: (({ context }: any) => context.city) as any }))
