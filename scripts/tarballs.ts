/** Packs every package into a folder (default `.cache/tarballs`), for installs without a registry. */
import { resolve } from 'node:path'
import { pack } from './pack.ts'

for (const file of pack(resolve(process.argv[2] ?? '.cache/tarballs')).values()) console.log(file)
