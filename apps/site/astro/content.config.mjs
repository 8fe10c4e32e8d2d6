// The pages come from `src`, which writes them into the cache: no Markdown is copied into this folder.
import { readFile } from 'node:fs/promises'
import { defineCollection } from 'astro:content'
import { docsSchema, i18nSchema } from '@astrojs/starlight/schema'

const pages = {
  name: 'pages',
  async load({ config, store, parseData, renderMarkdown }) {
    store.clear()
    for (const { id, data, text, source } of JSON.parse(
      await readFile(new URL('pages.json', config.cacheDir), 'utf8'),
    )) {
      const { html, metadata } = await renderMarkdown(text, {
        fileURL: new URL(source, new URL('../../', config.root)),
      })
      const { weight, ...shown } = data
      store.set({
        id,
        data: await parseData({ id, data: shown }),
        body: text,
        filePath: source,
        rendered: { html: weight === 1 ? html : `<div data-pagefind-weight="${weight}">${html}</div>`, metadata },
      })
    }
  },
}

const words = [{ id: 'en', 'page.editLink': 'Source of this page' }]

export const collections = {
  docs: defineCollection({ loader: pages, schema: docsSchema() }),
  i18n: defineCollection({ loader: () => words, schema: i18nSchema() }),
}
