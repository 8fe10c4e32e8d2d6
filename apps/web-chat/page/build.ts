// @boundaries-ignore the build of both pages
import { buildPage } from '../../../packages/studio/page/build.ts'

/** The licence of what is bundled into the page. */
const NOTICE = `/*! web-chat, with Preact (MIT, Copyright 2015 Jason Miller) */`

/** Makes the files of the page, by their names, with the components of the page of runs. */
export async function buildChatPage(): ReturnType<typeof buildPage> {
  return await buildPage(new URL('.', import.meta.url), NOTICE)
}
