import { NUMERAL_PATTERN, OPTION_WORD, STEP_WORD } from './words.ts'

/** A way of marking the options in a list. */
export interface OptionStyle {
  /** The label at the beginning of a line, up to the text of the option. */
  readonly label: RegExp
  /** True if the numbers (group `n`) have to run from 1, after the same word (group `w`). */
  readonly isNumbered?: boolean
}

const OPEN_EMPHASIS = '[#*_`(\\[\\s【「『]*'
const CLOSE_EMPHASIS = '[*_`)\\]】」』]*'
const LABEL_SEPARATOR = '(?:[:.),、।|–—-]|(?=\\()|$)'
const HAN_NUMERAL = '[一二三四五六七八九十]{1,3}'

const style = (source: string): OptionStyle => ({ label: new RegExp(source, 'iu') })
const numbered = (source: string): OptionStyle => ({ label: new RegExp(source, 'iu'), isNumbered: true })

/** The styles that models use, the most explicit first, for lines with plain digits. */
export const OPTION_STYLES: readonly OptionStyle[] = [
  // Option 1: … · **Option 1**: … · ### Option A - … · 1. Option 1: … · - *Option 2 (safe)*: … · 选项一: … · Opción 1: …
  style(
    `^[\\s>]*(?:[-*•+]\\s+|\\d+[.)]\\s+)?${OPEN_EMPHASIS}(?:${OPTION_WORD})[\\s*_#]*(?:n[or]?[.°º]\\s*|№\\s*)?${NUMERAL_PATTERN}번?(?:[*_\`)]+\\s(?!\\s*[:–—-])|[\\]】」』]+\\s*[:.–—-]?|${CLOSE_EMPHASIS}\\s*${LABEL_SEPARATOR})[*_\`\\s]*`,
  ),
  // 第一种方案: … · 第1步, … · 1번: …
  style(
    `^[\\s>]*${OPEN_EMPHASIS}(?:第\\s*(?:\\d{1,2}|${HAN_NUMERAL})\\s*(?:个|個|种|種|つの|番目の|번째)?\\s*(?:${OPTION_WORD}|步骤|步|条|條|点|點|项|種|种)?|\\d{1,2}\\s*(?:번째?|안|番目?)(?:\\s*(?:${OPTION_WORD}))?)${CLOSE_EMPHASIS}\\s*[:.,、][*_\`\\s]*`,
  ),
  // First option: … · Erste Möglichkeit: … · Первый вариант: …
  style(
    `^[\\s>]*(?:[-*•+]\\s+)?[#*_\`]*(?:\\p{L}{2,10}\\s)?(?:first|second|third|fourth|fifth|sixth|(?:erst|zweit|dritt|viert|fünft)e[rs]?|primer[ao]?|segund[ao]|tercer[ao]?|cuart[ao]|primeir[ao]|terceir[ao]|quart[ao]|prim[ao]|second[ao]|terz[ao]|premi(?:er|ère)|deuxième|troisième|quatrième|перв(?:ый|ая)|втор(?:ой|ая)|трет(?:ий|ья)|четв[её]рт(?:ый|ая))\\s+(?:${OPTION_WORD})[*_\`]*\\s*[:–—-][*_\`\\s]*`,
  ),
  // Option: …
  style(`^[\\s>]*(?:[-*•+]\\s+)?[#*_\`]*(?:${OPTION_WORD})[*_\`]*:[*_\`\\s]*(?=\\S)`),
  // <option id="1">…</option>
  style('^\\s*<option\\b[^>]*>\\s*'),
  // | 1 | … |
  style(`^\\s*\\|\\s*[*_\`]*(?:(?:${OPTION_WORD})\\s*)?(?:\\d{1,2}|${HAN_NUMERAL}|[A-Z])[*_\`]*\\s*\\|\\s*`),
  // Step 3: … (some models go on with the numbers of the path)
  style(`^[\\s>]*[#*_\`]*(?:next\\s+)?(?:${STEP_WORD})\\s*\\d*\\s*[*_\`]*\\s*[:.)–—-][*_\`\\s]*`),
  // 1. … · 1) … · (1) … · [1] … · **1.** … · 1: … · a) … · iv. … · 1、… · 1.计算
  style(
    '^ {0,3}[*_`#\\s]{0,4}[(\\[【]?(?:\\d{1,2}|(?:[ivx]{1,4}|[a-zа-яא-תأ-ي가-힣])(?=[.)]))(?:[.):\\]】]+[*_`]*(?:\\s+|(?=\\p{Lo}))|、[*_`\\s]*)',
  ),
  // ① … · 一、… · (一) …
  style(`^ {0,3}[*_\`#\\s]{0,4}(?:[①-⑳⑴-⒇❶-❿➀-➉]|${HAN_NUMERAL}[、.:]|\\(${HAN_NUMERAL}\\)[、.]?)[*_\`\\s]*`),
  // 1️⃣ …
  style('^\\s*\\d\\uFE0F?\\u20E3[*_`\\s]*'),
  // 1 - … · #1 … · № 1: …
  numbered('^ {0,3}[*_`\\s]{0,4}(?<n>\\d{1,2})[*_`]*\\s?[-–—]\\s*(?=\\p{L})'),
  numbered('^\\s*[*_`]{0,4}(?:#|№|n[°º])\\s?(?<n>\\d{1,2})[*_`]*[:.)]?\\s+[*_`]*'),
  // Plan 1: … · Idee 2 - …
  numbered(
    `^[\\s>]*(?:[-*•+]\\s+)?[#*_\`(\\[【]*(?<w>\\p{L}[\\p{L}\\p{M}'’]{0,24})[\\s*_#]*(?<n>\\d{1,2})(?:[*_\`)\\]】]+\\s|${CLOSE_EMPHASIS}\\s*[:.)、–—-])[*_\`\\s]*`,
  ),
  // - … · * … · • …
  style('^ {0,3}[-*•+–]\\s+'),
]
