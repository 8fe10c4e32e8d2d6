import { createChatServer } from './server.ts'
import { chooseModel } from '../model.ts'
import { simulated } from './simulated.ts'

const port = Number(process.env.PORT ?? 3000)
createChatServer(chooseModel(simulated)).listen(port, () => {
  console.log(`Ask it: curl -d '{"message":"Hello"}' http://localhost:${port}/chat`)
})
