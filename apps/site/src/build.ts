import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { build } from 'astro'
import { passthroughImageService } from 'astro/config'
import type { Content } from './collect.ts'
import { siteLinks } from './links.ts'
import { bySource } from './page.ts'
import { repositoryUrl, root } from './repository.ts'

const PROJECT = join(import.meta.dirname, '..')
/** The module by which the pages get their navigation. */
const NAVIGATION_MODULE = 'virtual:site'

/** Where a site is built, and where it will stand. */
export interface Place {
  readonly folder: string
  readonly cache: string
  /** Path under which it stands, with slashes at both ends. */
  readonly base: string
  /** Its host with the scheme, if it is known: for canonical addresses and a list of pages for search engines. */
  readonly host: string | undefined
}

/** Builds the pages with their search index. */
export async function buildPages({ pages, names, navigation, order }: Content, place: Place): Promise<void> {
  const { folder, cache, base, host } = place
  const entries = pages.map(({ id, source, title, description, text, generated, weight }) => {
    const editUrl = generated ? false : `${repositoryUrl()}/blob/main/${source}`
    return { id: id || 'index', source, text, data: { title, description, editUrl, weight } }
  })
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'pages.json'), JSON.stringify(entries))
  const pictures = new Set<string>()
  const links = siteLinks({ base, pages: bySource(pages), names, shows: (picture) => void pictures.add(picture) })
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1'
  await build({
    root: PROJECT,
    configFile: false,
    srcDir: 'astro',
    publicDir: 'astro/public',
    outDir: folder,
    cacheDir: cache,
    ...(host === undefined ? {} : { site: host }),
    base,
    trailingSlash: 'always',
    logLevel: 'error',
    devToolbar: { enabled: false },
    image: { service: passthroughImageService() },
    markdown: { processor: satteri({ mdastPlugins: [links], features: { smartPunctuation: false } }) },
    integrations: [
      starlight({
        title: pages[0]!.title.split(':')[0]!,
        description: pages[0]!.description,
        social: [{ icon: 'seti:git', label: 'Source', href: repositoryUrl() }],
        routeMiddleware: './astro/route-data.mjs',
        customCss: ['./astro/site.css'],
        // Links to headings stand in documents of the whole repository.
        markdown: { processedDirs: ['../..'] },
        credits: false,
      }),
    ],
    vite: { plugins: [navigationModule(JSON.stringify({ base, navigation, order }))] },
  })
  for (const picture of pictures) {
    mkdirSync(dirname(join(folder, picture)), { recursive: true })
    cpSync(join(root, picture), join(folder, picture))
  }
}

function navigationModule(json: string): {
  name: string
  resolveId: (id: string) => string | null
  load: (id: string) => string | null
} {
  const resolved = `\0${NAVIGATION_MODULE}`
  return {
    name: 'site-navigation',
    resolveId: (id) => (id === NAVIGATION_MODULE ? resolved : null),
    load: (id) => (id === resolved ? `export const { base, navigation, order } = ${json}` : null),
  }
}
