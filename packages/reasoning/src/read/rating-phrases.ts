import { OPTION_WORD, RATING_UNIT, RATING_WORD, STEP_WORD, WEAK_RATING_WORD } from './words.ts'

/** A number that is not part of `1.2.3`, of a range or of a word. */
export const NUMBER: string = String.raw`(?<![\w.])-?\d+(?:[.,]\d+)?(?![\d]|\.\d|[a-z])`
/** Words between a rating and the scale that it is a part of. */
export const OF: string = String.raw`[^\S\n]*(?:\/|out\s+of|of|von|sur|sobre|de|su|van\s+de|van|op|z|na|av|af|из|з|από|στα|من|از|מתוך|trên|dari|จาก|เต็ม)[^\S\n]*`

const LETTER = String.raw`(?<![\p{L}])`
const LETTER_END = String.raw`(?![\p{L}])`
/** A label of a rating, in alphabets a whole word. */
export const LABEL: string = `(?:${LETTER}(?:${RATING_WORD})${LETTER_END}|评分|評分|得分|打分|分数|分數|评价|評価|点数|採点|スコア|평가|점수|평점|คะแนน)`
/** A label that counts where no other is. */
export const WEAK_LABEL: string = `${LETTER}(?:${WEAK_RATING_WORD})${LETTER_END}`
/** A label of the last rating of several. */
export const CLOSING: RegExp =
  /(?<![\p{L}])(?:(?:final|overall|total)\s+(?:rating|score|grade)|(?:Gesamt|End)(?:bewertung|note|urteil)|(?:nota|puntuación|calificación|valoración|pontuação|avaliação|valutazione|note)\s+(?:final[ei]?|globale?|general|complessiva)|(?:punteggio|voto)\s+finale|итоговая\s+оценка|التقييم\s+النهائي)(?![\p{L}])|最终评分|最終評価|最终得分|总分|总评|総合評価|최종\s*(?:평가|점수)/iu

const UP_TO = String.raw`(?:10{0,2}|[2-9]\d?|N)`
const SCALE_WORDS =
  'scale|range|from|between|rating|score|Skala|von|escala|de|entre|échelle|scala|da|schaal|шкал[аеу]|от|od|من|スケール|척도'
const TO = String.raw`(?:to|and|through|bis|und|à|a|al|y|e|et|до|та|do|tot|en|til|till|ile|إلى|الى|و|से|đến|đến|到|至|から|에서|부터|[-–—…~〜～]|\.\.\.?)`
/** The scale itself: `on a scale of 1 to 10`, `(1-10)`, `1から10`. */
const RANGE = new RegExp(
  String.raw`(?:${LETTER}(?:${SCALE_WORDS})${LETTER_END}[^\n\d]{0,24})?[[(]?(?<![\w.])[01](?:分|点|점)?\s*(?:\([^)\n]{0,80}\)\s*)?${TO}\s*${UP_TO}(?![\w])(?:\s*(?:까지|まで))?[\])]?`,
  'giu',
)
const COUNTED =
  'options?|steps?|errors?|mistakes?|issues?|problems?|flaws?|reasons?|times|parts?|paths?|answers?|attempts?|tries|numbers?|cards?|criteria|requirements|conditions|constraints|tests?|goals|lines?|cases?|Fehlern?|Schritten?|Optionen|Gründen?|errores|pasos|opciones|razones|erreurs?|étapes|raisons?|ошиб(?:ка|ки|ок)|шаг(?:а|ов)|вариант(?:а|ов)'
/** Numbers that are labels or counts of something else. */
const NAMED = new RegExp(
  String.raw`${LETTER}(?:${OPTION_WORD}|${STEP_WORD}|level|stage|points?|part|section|line|criteri(?:on|a)|try|round|attempt|case|question|Frage|Runde|pregunta|вопрос|tour|round)[^\S\n]*[#№]?[^\S\n]*\d+(?:\.\d+)*(?:(?:\s*,|\s+(?:and|und|et|y|e|и))\s*\d+(?![\d.]))*(?!\s*(?:\/|out\s+of))|第\s*\d+\s*(?:个|個|步|轮|回|点|题)?|${LETTER}(?:the|all|these|those)\s+\d+(?=[^\S\n]+\p{L})|(?:\d+\s+(?:out\s+)?of\s+(?:the\s+)?)?\d+[^\S\n]+(?:${COUNTED})${LETTER_END}|\d+\s*(?:个|個|つの|개의?|步|回|次|番目)`,
  'giu',
)
const NOT = String.raw`not|isn't|never|nicht|keine?n?|pas|no|non|não|nie|не|ні|niet|geen|ikke|inte|değil|ليس(?:ت)?|لا|לא|नहीं|không(?:\s+phải)?|bukan|rather\s+than|instead\s+of|statt|anstatt|au\s+lieu\s+de|plutôt\s+que|en\s+(?:lugar|vez)\s+de|em\s+vez\s+de|ao\s+invés\s+de|invece\s+di|zamiast|вместо|zamiast`
const A = String.raw`(?:(?:an?|une?|una?|uma?|ein(?:e[nr]?)?|de|la|el|le|il|o|just|only)\s+)?`
const FULL = String.raw`-?\d+(?:[.,]\d+)?(?:\s*\/\s*\d+)?`
/** Ratings that are denied: `not 3 but 7`, `不是3而是7`, `3ではなく7`. */
const DENIED = new RegExp(
  String.raw`${LETTER}(?:${NOT})\s+(?:(?:es|est|ist|is|é|è|to)\s+)?${A}${FULL}(?![\d.])|(?:不是|并非|并不是|而不是|而非|ليس)\s*${FULL}(?:分|点|점)?|${FULL}\s*(?:분|分|点|점)?\s*(?:ではなく|じゃなく|でなく|이\s*아니라|가\s*아니라|이\s*아닌|değil|नहीं)`,
  'giu',
)

/** Phrases in which the scale comes first, and what they mean: `10点満点中8点`, `10 üzerinden 8`, `满分10分，得8分`. */
const SCALE_FIRST: readonly RegExp[] = [
  /(\d+)\s*(?:点満点|點滿分|分满分|分滿分|점\s*만점|分制)\s*(?:中|で|の|に|에서|에|으로|里|中的)?[^\d\n]{0,6}(\d+(?:\.\d+)?)/gu,
  /满分\s*(?:是|为|為)?\s*(\d+)\s*分?[^\d\n]{0,12}(\d+(?:\.\d+)?)/gu,
  /(\d+)\s*(?:点中|점\s*중|分の|分之|분의|分中)\s*(\d+(?:\.\d+)?)/gu,
  /(\d+)\s*(?:üzerinden|में\s+से|-?b[őo]l)\s*(\d+(?:\.\d+)?)/giu,
]
/** The scale behind a rating, in words: `7分（满分10分）`. */
const SCALE_BEHIND = /(\d+(?:\.\d+)?)\s*(?:分|点|점)?\s*[(,]?\s*(?:满分|滿分|満点|만점)\s*(?:为|是)?\s*(\d+)/gu

/** A unit between a rating and the scale that it is a part of: `4 stars out of 5`. */
const UNIT = new RegExp(`(\\d)\\s*(?:${RATING_UNIT})(?=${OF}\\d)`, 'giu')
const PERCENT =
  /\s*(?:per\s?cent|Prozent|pour\s?cent|por\s?ciento|por\s?cento|per\s?cento|процент(?:а|ов)?|パーセント|퍼센트|بالمئة|प्रतिशत)(?![\p{L}])/giu

/** Removes the numbers of a text with plain digits that are no rating, and writes shares of a scale as `8/10` and `80%`. */
export function withoutOtherNumbers(text: string): string {
  let said = text
    .replaceAll(/(\d)\s?½/g, '$1.5')
    .replaceAll(/(\d)\uFE0F?\u20E3/g, '$1')
    .replaceAll('🔟', '10')
  said = said.replaceAll(PERCENT, '%').replaceAll(UNIT, '$1').replaceAll(SCALE_BEHIND, '$1/$2')
  for (const phrase of SCALE_FIRST) said = said.replaceAll(phrase, '$2/$1')
  return said
    .replaceAll(DENIED, ' ')
    .replaceAll(RANGE, ' ')
    .replaceAll(NAMED, ' ')
    .replaceAll(/[*_`~]/g, ' ')
}
