// The packages of Node name their system in a string, of which pnpm reads nothing: without lists, it would fetch the Node of
// Windows on every system.
export const hooks = {
  readPackage(manifest) {
    if (manifest.name?.startsWith('node-'))
      for (const field of ['os', 'cpu']) if (manifest[field]) manifest[field] = [manifest[field]].flat()
    return manifest
  },
}
