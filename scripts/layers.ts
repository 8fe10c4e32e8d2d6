/** Checks the direction of imports between the packages: the tags in `turbo.json`. */
import { turbo } from './turbo.ts'

process.exitCode = turbo('boundaries')
