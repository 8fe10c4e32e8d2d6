import { readTarball, readZip } from './archive.ts'

/** Files of a package in a registry, and the version of the package. */
export interface PackageFiles {
  readonly origin: string
  readonly files: ReadonlyMap<string, string>
}

/** Downloads the newest wheel of a PyPI package and reads the files that a filter accepts; runs none of them. */
export async function downloadWheel(name: string, takes: (file: string) => boolean): Promise<PackageFiles> {
  const about = await fetchOk(`https://pypi.org/pypi/${name}/json`)
  const { info, urls } = (await about.json()) as {
    info: { version: string }
    urls: readonly { packagetype: string; url: string }[]
  }
  const wheel = urls.find(({ packagetype }) => packagetype === 'bdist_wheel')
  if (!wheel) throw new Error(`cannot download \`${name}\` from PyPI: version ${info.version} has no wheel`)
  // A mirror may return paths relative to the page.
  const response = await fetchOk(new URL(wheel.url, about.url).href)
  return { origin: `${name} ${info.version}`, files: readZip(await response.bytes(), takes) }
}

/** Downloads the newest version of an npm package and reads the files that a filter accepts; runs none of them. */
export async function downloadNpm(name: string, takes: (file: string) => boolean): Promise<PackageFiles> {
  const about = await fetchOk(`https://registry.npmjs.org/${name.replace('/', '%2f')}/latest`)
  const { version, dist } = (await about.json()) as { version: string; dist: { tarball: string } }
  const response = await fetchOk(dist.tarball)
  return { origin: `${name} ${version}`, files: readTarball(await response.bytes(), takes) }
}

async function fetchOk(url: string): Promise<Response> {
  const response = await fetch(url)
  if (response.ok) return response
  throw new Error(`cannot download ${url}: the answer is ${response.status}; try again, or see whether it has moved`)
}
