import { LABEL, WEAK_LABEL } from './rating-phrases.ts'

/** The numbers from zero to ten in several languages. */
const WORDS = [
  'zero one two three four five six seven eight nine ten',
  'null eins zwei drei vier fünf sechs sieben acht neun zehn',
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez',
  'zéro un deux trois quatre cinq six sept huit neuf dix',
  'zero um dois três quatro cinco seis sete oito nove dez',
  'zero uno due tre quattro cinque sei sette otto nove dieci',
  'ноль один два три четыре пять шесть семь восемь девять десять',
  'صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة',
  'शून्य एक दो तीन चार पाँच छह सात आठ नौ दस',
  '〇 一 二 三 四 五 六 七 八 九 十',
  '영 일 이 삼 사 오 육 칠 팔 구 십',
].map((line) => line.split(' '))

const VALUES: ReadonlyMap<string, string> = new Map(
  WORDS.flatMap((line) => line.map((word, value) => [word, String(value)] as const)),
)
const LONG = [...VALUES.keys()].filter((one) => one.length > 1).toSorted((a, b) => b.length - a.length)
const WORD = `(${LONG.join('|')})`
const HAN = '([〇一二三四五六七八九十])'
const A = '(?:an?\\s+)?'
const PARTS_OF = '(?:of|von|sur|de|su|из|من)'

const ALONE = new RegExp(`^[\\s*_"]*(?:${WORD}|${HAN})[\\s*_."!。分点點점]*$`, 'iu')
const NOT_BUT = new RegExp(`(?<![\\p{L}])not\\s+${A}${WORD}\\s+but\\s+${A}${WORD}(?![\\p{L}])`, 'giu')
const BEFORE_OF = new RegExp(`(?<![\\p{L}])${WORD}(?=\\s*(?:\\/|out\\s+of|${PARTS_OF})\\s*(?:${WORD}|\\d))`, 'giu')
const BEHIND_OF = new RegExp(`((?:\\/|out\\s+of|(?<=\\d\\s)${PARTS_OF})\\s*)${WORD}(?![\\p{L}])`, 'giu')
const LABELLED = new RegExp(
  `((?:${LABEL}|${WEAK_LABEL}|(?<![\\p{L}])give\\s+(?:it|this)|(?<![\\p{L}])as)[\\s:=*_-]*(?:(?:is|an?|of|ist|eine|es|une?|una?|è)\\s+)*)(?:${WORD}(?![\\p{L}]|\\s+\\d)|${HAN}(?=\\s*(?:[分点點]|$)))`,
  'giu',
)

const toDigits = (numeral: string): string => VALUES.get(numeral.toLowerCase()) ?? numeral

/** Replaces number words in the position of a rating: alone, before `out of` or `/`, after a label or `give it`. */
export const replaceNumberWords = (text: string): string =>
  text
    .replace(ALONE, (_, one?: string, sign?: string) => toDigits(one ?? sign!))
    .replaceAll(NOT_BUT, (_, __, so: string) => toDigits(so))
    .replaceAll(BEFORE_OF, (_, numeral: string) => toDigits(numeral))
    .replaceAll(BEHIND_OF, (_, of: string, numeral: string) => of + toDigits(numeral))
    .replaceAll(LABELLED, (_, before: string, one?: string, sign?: string) => `${before} ${toDigits(one ?? sign!)}`)
