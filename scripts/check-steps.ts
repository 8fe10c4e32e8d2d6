/** One step of `pnpm check`: a script of the root's `package.json`. */
export interface Step {
  readonly name: string
  readonly script: string
  readonly what: string
}

/** The steps of `pnpm check`, in the order in which they are reported. */
export const STEPS: readonly Step[] = [
  { name: 'build', script: 'build', what: 'every package compiles' },
  { name: 'types', script: 'check:types', what: 'sources, tests, type tests and scripts type-check' },
  { name: 'lint', script: 'check:lint', what: 'type-aware lint' },
  { name: 'format', script: 'check:format', what: 'formatting' },
  { name: 'layers', script: 'check:layers', what: 'packages import only downwards' },
  { name: 'unused', script: 'check:unused', what: 'no unused file, export or dependency' },
  { name: 'workspace', script: 'check:workspace', what: 'manifests agree with each other' },
  { name: 'licences', script: 'check:licences', what: 'licences of what users install' },
  { name: 'test', script: 'check:test', what: 'tests and conventions' },
  { name: 'traces', script: 'check:traces', what: 'recorded conversations replay alike' },
  { name: 'api', script: 'check:api', what: 'the public API equals etc/api' },
  { name: 'examples', script: 'check:examples', what: 'every example runs without a key' },
  { name: 'expressions', script: 'check:expressions', what: 'no regular expression takes more than linear time' },
  { name: 'size', script: 'check:size', what: 'the kernel stays under 3 kB' },
  { name: 'figures', script: 'check:figures', what: 'imports, sizes, requests and allocations as before' },
  { name: 'package', script: 'check:package', what: 'publint and attw on the packed tarballs' },
  { name: 'consumer', script: 'check:consumer', what: 'a project outside installs and runs the packages' },
  { name: 'release', script: 'rehearse', what: 'two releases, with a registry on this machine' },
  { name: 'image', script: 'check:image', what: 'the image of the web example is built, and holds a chat' },
  { name: 'template', script: 'check:template', what: 'the starters are installed, tested and built' },
  { name: 'start', script: 'check:start', what: 'every step of docs/start.md works' },
  { name: 'site', script: 'check:site', what: 'the site is built, linked, and read in a browser' },
]
