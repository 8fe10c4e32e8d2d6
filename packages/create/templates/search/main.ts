import { renderText } from '@x/reasoning'
import { findCoins } from './coins.ts'
import { chooseModel } from '../model.ts'
import { simulated } from './simulated.ts'

const result = await findCoins(chooseModel(simulated))
console.log(renderText(result))
console.log(`${result.status}: ${result.answer ?? result.reason}`)
