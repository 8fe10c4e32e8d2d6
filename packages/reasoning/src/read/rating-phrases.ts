import { OPTION_WORD, RATING_UNIT, RATING_WORD, STEP_WORD, WEAK_RATING_WORD } from './words.ts'

/** A number that is not part of `1.2.3`, of a range or of a word. */
export const NUMBER_PATTERN: string = String.raw`(?<![\w.])-?\d+(?:[.,]\d+)?(?![\d]|\.\d|[a-z])`
/** Words between a rating and its scale: `8 out of 10`. */
export const OUT_OF_PATTERN: string = String.raw`[^\S\n]*(?:\/|out\s+of|of|von|sur|sobre|de|su|van\s+de|van|op|z|na|av|af|из|з|από|στα|من|از|מתוך|trên|dari|จาก|เต็ม)[^\S\n]*`

const WORD_START = String.raw`(?<![\p{L}])`
const WORD_END = String.raw`(?![\p{L}])`
/** A label of a rating; in languages with spaces a whole word. */
export const LABEL_PATTERN: string = `(?:${WORD_START}(?:${RATING_WORD})${WORD_END}|评分|評分|得分|打分|分数|分數|评价|評価|点数|採点|スコア|평가|점수|평점|คะแนน)`
/** A label that counts only where no other label stands. */
export const WEAK_LABEL_PATTERN: string = `${WORD_START}(?:${WEAK_RATING_WORD})${WORD_END}`
/** A label of the final one of several ratings. */
export const FINAL_LABEL: RegExp =
  /(?<![\p{L}])(?:(?:final|overall|total)\s+(?:rating|score|grade)|(?:Gesamt|End)(?:bewertung|note|urteil)|(?:nota|puntuación|calificación|valoración|pontuação|avaliação|valutazione|note)\s+(?:final[ei]?|globale?|general|complessiva)|(?:punteggio|voto)\s+finale|итоговая\s+оценка|التقييم\s+النهائي)(?![\p{L}])|最终评分|最終評価|最终得分|总分|总评|総合評価|최종\s*(?:평가|점수)/iu

const SCALE_TOP = String.raw`(?:10{0,2}|[2-9]\d?|N)`
const SCALE_WORDS =
  'scale|range|from|between|rating|score|Skala|von|escala|de|entre|échelle|scala|da|schaal|шкал[аеу]|от|od|من|スケール|척도'
const TO_WORD = String.raw`(?:to|and|through|bis|und|à|a|al|y|e|et|до|та|do|tot|en|til|till|ile|إلى|الى|و|से|đến|đến|到|至|から|에서|부터|[-–—…~〜～]|\.\.\.?)`
/** The scale itself: `on a scale of 1 to 10`, `(1-10)`, `1から10`. */
const SCALE_RANGE = new RegExp(
  String.raw`(?:${WORD_START}(?:${SCALE_WORDS})${WORD_END}[^\n\d]{0,24})?[[(]?(?<![\w.])[01](?:分|点|점)?\s*(?:\([^)\n]{0,80}\)\s*)?${TO_WORD}\s*${SCALE_TOP}(?![\w])(?:\s*(?:까지|まで))?[\])]?`,
  'giu',
)
const COUNTED_NOUN =
  'options?|steps?|errors?|mistakes?|issues?|problems?|flaws?|reasons?|times|parts?|paths?|answers?|attempts?|tries|numbers?|cards?|criteria|requirements|conditions|constraints|tests?|goals|lines?|cases?|Fehlern?|Schritten?|Optionen|Gründen?|errores|pasos|opciones|razones|erreurs?|étapes|raisons?|ошиб(?:ка|ки|ок)|шаг(?:а|ов)|вариант(?:а|ов)'
/** Numbers that label or count something else. */
const OTHER_NUMBERS = new RegExp(
  String.raw`${WORD_START}(?:${OPTION_WORD}|${STEP_WORD}|level|stage|points?|part|section|line|criteri(?:on|a)|try|round|attempt|case|question|Frage|Runde|pregunta|вопрос|tour|round)[^\S\n]*[#№]?[^\S\n]*\d+(?:\.\d+)*(?:(?:\s*,|\s+(?:and|und|et|y|e|и))\s*\d+(?![\d.]))*(?!\s*(?:\/|out\s+of))|第\s*\d+\s*(?:个|個|步|轮|回|点|题)?|${WORD_START}(?:the|all|these|those)\s+\d+(?=[^\S\n]+\p{L})|(?:\d+\s+(?:out\s+)?of\s+(?:the\s+)?)?\d+[^\S\n]+(?:${COUNTED_NOUN})${WORD_END}|\d+\s*(?:个|個|つの|개의?|步|回|次|番目)`,
  'giu',
)
const NOT_WORD = String.raw`not|isn't|never|nicht|keine?n?|pas|no|non|não|nie|не|ні|niet|geen|ikke|inte|değil|ليس(?:ت)?|لا|לא|नहीं|không(?:\s+phải)?|bukan|rather\s+than|instead\s+of|statt|anstatt|au\s+lieu\s+de|plutôt\s+que|en\s+(?:lugar|vez)\s+de|em\s+vez\s+de|ao\s+invés\s+de|invece\s+di|zamiast|вместо|zamiast`
const ARTICLE_PATTERN = String.raw`(?:(?:an?|une?|una?|uma?|ein(?:e[nr]?)?|de|la|el|le|il|o|just|only)\s+)?`
const RATING_PATTERN = String.raw`-?\d+(?:[.,]\d+)?(?:\s*\/\s*\d+)?`
/** Ratings that are denied: `not 3 but 7`, `不是3而是7`, `3ではなく7`. */
const DENIED_RATING = new RegExp(
  String.raw`${WORD_START}(?:${NOT_WORD})\s+(?:(?:es|est|ist|is|é|è|to)\s+)?${ARTICLE_PATTERN}${RATING_PATTERN}(?![\d.])|(?:不是|并非|并不是|而不是|而非|ليس)\s*${RATING_PATTERN}(?:分|点|점)?|${RATING_PATTERN}\s*(?:분|分|点|점)?\s*(?:ではなく|じゃなく|でなく|이\s*아니라|가\s*아니라|이\s*아닌|değil|नहीं)`,
  'giu',
)

/** Phrases in which the scale comes first, and what they mean: `10点満点中8点`, `10 üzerinden 8`, `满分10分，得8分`. */
const SCALE_FIRST: readonly RegExp[] = [
  /(\d{1,9})\s{0,9}(?:点満点|點滿分|分满分|分滿分|점\s{0,9}만점|分制)\s{0,9}(?:中|で|の|に|에서|에|으로|里|中的)?[^\d\n]{0,6}(\d+(?:\.\d+)?)/gu,
  /满分\s{0,9}(?:是|为|為)?\s{0,9}(\d{1,9})\s{0,9}分?[^\d\n]{0,12}(\d+(?:\.\d+)?)/gu,
  /(\d{1,9})\s{0,9}(?:点中|점\s{0,9}중|分の|分之|분의|分中)\s{0,9}(\d+(?:\.\d+)?)/gu,
  /(\d{1,9})\s{0,9}(?:üzerinden|में\s{1,9}से|-?b[őo]l)\s{0,9}(\d+(?:\.\d+)?)/giu,
]
/** The scale in brackets after a rating: `7分（满分10分）`. */
const SCALE_IN_BRACKETS =
  /(\d{1,9}(?:\.\d{1,9})?)\s{0,9}(?:分|点|점)?\s{0,9}[(,]?\s{0,9}(?:满分|滿分|満点|만점)\s{0,9}(?:为|是)?\s{0,9}(\d+)/gu

/** A unit between a rating and its scale: `4 stars out of 5`. */
const UNIT_BEFORE_SCALE = new RegExp(`(\\d)\\s*(?:${RATING_UNIT})(?=${OUT_OF_PATTERN}\\d)`, 'giu')
const PERCENT_WORD =
  /\s*(?:per\s?cent|Prozent|pour\s?cent|por\s?ciento|por\s?cento|per\s?cento|процент(?:а|ов)?|パーセント|퍼센트|بالمئة|प्रतिशत)(?![\p{L}])/giu

/** Removes numbers that are not ratings from a text with plain digits, and writes shares of a scale as `8/10` and `80%`. */
export function withoutOtherNumbers(text: string): string {
  let normalized = text
    .replaceAll(/(\d)\s?½/g, '$1.5')
    .replaceAll(/(\d)\uFE0F?\u20E3/g, '$1')
    .replaceAll('🔟', '10')
  normalized = normalized
    .replaceAll(PERCENT_WORD, '%')
    .replaceAll(UNIT_BEFORE_SCALE, '$1')
    .replaceAll(SCALE_IN_BRACKETS, '$1/$2')
  for (const phrase of SCALE_FIRST) normalized = normalized.replaceAll(phrase, '$2/$1')
  return normalized
    .replaceAll(DENIED_RATING, ' ')
    .replaceAll(SCALE_RANGE, ' ')
    .replaceAll(OTHER_NUMBERS, ' ')
    .replaceAll(/[*_`~]/g, ' ')
}

/** The numbers from zero to ten in several languages. */
const NUMBER_WORDS = [
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

const DIGITS_BY_WORD: ReadonlyMap<string, string> = new Map(
  NUMBER_WORDS.flatMap((line) => line.map((word, value) => [word, String(value)] as const)),
)
const LONG_WORDS = [...DIGITS_BY_WORD.keys()].filter((word) => word.length > 1).toSorted((a, b) => b.length - a.length)
const WORD_GROUP = `(${LONG_WORDS.join('|')})`
const HAN_GROUP = '([〇一二三四五六七八九十])'
const AN_PATTERN = '(?:an?\\s+)?'
const OF_WORD = '(?:of|von|sur|de|su|из|من)'

const LONE_WORD = new RegExp(`^[\\s*_"]*(?:${WORD_GROUP}|${HAN_GROUP})[\\s*_."!。分点點점]*$`, 'iu')
const NOT_BUT_WORDS = new RegExp(
  `(?<![\\p{L}])not\\s+${AN_PATTERN}${WORD_GROUP}\\s+but\\s+${AN_PATTERN}${WORD_GROUP}(?![\\p{L}])`,
  'giu',
)
const WORD_BEFORE_OF = new RegExp(
  `(?<![\\p{L}])${WORD_GROUP}(?=\\s*(?:\\/|out\\s+of|${OF_WORD})\\s*(?:${WORD_GROUP}|\\d))`,
  'giu',
)
const WORD_BEHIND_OF = new RegExp(`((?:\\/|out\\s+of|(?<=\\d\\s)${OF_WORD})\\s*)${WORD_GROUP}(?![\\p{L}])`, 'giu')
const LABELLED_WORD = new RegExp(
  `((?:${LABEL_PATTERN}|${WEAK_LABEL_PATTERN}|(?<![\\p{L}])give\\s+(?:it|this)|(?<![\\p{L}])as)[\\s:=*_-]*(?:(?:is|an?|of|ist|eine|es|une?|una?|è)\\s+)*)(?:${WORD_GROUP}(?![\\p{L}]|\\s+\\d)|${HAN_GROUP}(?=\\s*(?:[分点點]|$)))`,
  'giu',
)

const toDigits = (numeral: string): string => DIGITS_BY_WORD.get(numeral.toLowerCase()) ?? numeral

/** Replaces number words by digits where a rating can stand: alone, around `out of` or `/`, after a label or `give it`. */
export const replaceNumberWords = (text: string): string =>
  text
    .replace(LONE_WORD, (_, word?: string, han?: string) => toDigits(word ?? han!))
    .replaceAll(NOT_BUT_WORDS, (_, __, corrected: string) => toDigits(corrected))
    .replaceAll(WORD_BEFORE_OF, (_, numeral: string) => toDigits(numeral))
    .replaceAll(WORD_BEHIND_OF, (_, of: string, numeral: string) => of + toDigits(numeral))
    .replaceAll(
      LABELLED_WORD,
      (_, before: string, word?: string, han?: string) => `${before} ${toDigits(word ?? han!)}`,
    )
