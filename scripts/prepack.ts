/** Runs before `npm pack`, `pnpm pack` and a publish in the folder of a package, and fails unless `dist` is whole and current. */
import { relative } from 'node:path'
import { buildFaults } from './packed-files.ts'
import { readManifest, root } from './workspace.ts'

const folder = relative(root, process.cwd()).replaceAll('\\', '/')
const manifest = readManifest(folder)
const faults = buildFaults({ name: manifest.name, folder, manifest })
if (faults.length > 0) {
  console.error(`cannot pack ${manifest.name}: run \`pnpm build\`\n${faults.join('\n')}`)
  process.exitCode = 1
}
