import { createCustomExecutor } from '@x/exec'
import { hosted } from './hosted-backend.ts'
import { startService } from './hosted-service.ts'

// A stand-in on this machine; with a service of yours, its address and its token.
const token = 'a-token'
const service = await startService(token)
const executor = createCustomExecutor(hosted, { timeout: 2, settings: { url: service.url, token } })
try {
  const run = async (code: string): Promise<void> => {
    const { exitCode, output, artifacts } = await executor.executeCodeBlocks([{ language: 'javascript', code }])
    console.log(exitCode, output.trim(), artifacts?.length)
  }
  await run('console.log(6 * 7)')
  await run('console.log("on"); for (;;);')
  await run('console.log("the next one works")')
} finally {
  await executor.close()
  await service.close()
}
