import type { Browser } from 'playwright-core'

/** How a state is looked at. */
export interface SheetView {
  readonly width: number
  readonly height: number
  readonly scheme: 'light' | 'dark'
}

/** Width of the page in pixels whose words stand beside a sheet. */
export const SHEET_WIDTH = 1440

/** Sizes of the page, and the width at which each is shown. */
const SIZES = [
  { width: SHEET_WIDTH, height: 900, shown: 600 },
  { width: 820, height: 900, shown: 342 },
  { width: 390, height: 844, shown: 176 },
]

/** Puts a state of a page at three widths, in light and dark, into one picture; `shoot` makes a screenshot of it. */
export async function makeSheet(
  browser: Browser,
  file: string,
  shoot: (view: SheetView) => Promise<Buffer>,
): Promise<void> {
  const rows: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    const shots: string[] = []
    for (const { width, height, shown } of SIZES) {
      const shot = await shoot({ width, height, scheme })
      shots.push(`<img width="${shown}" src="data:image/png;base64,${shot.toString('base64')}">`)
    }
    rows.push(`<div>${shots.join('')}</div>`)
  }
  const sheet = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  const style =
    'body{margin:0}main{padding:12px 12px 1px;background:#808490;width:max-content}div{display:flex;gap:12px;align-items:start;margin-bottom:12px}img{border-radius:8px}'
  await sheet.setContent(`<style>${style}</style><main>${rows.join('')}</main>`)
  await sheet.locator('main').screenshot({ path: file })
  await sheet.close()
}
