/** Tells whether this runtime has files and SQLite, as Node, Bun and Deno do; browsers and workers do not. */
export function hasDisk(): boolean {
  // Workers with Node compatibility name the modules, and fail when one is used.
  if (globalThis.navigator?.userAgent === 'Cloudflare-Workers') return false
  return globalThis.process?.getBuiltinModule?.('node:module')?.isBuiltin?.('node:sqlite') ?? false
}
