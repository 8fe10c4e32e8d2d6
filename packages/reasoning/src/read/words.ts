/** Words of several languages as alternatives of a pattern, for the flags `iu`. */

/** Names of an option, in the singular and in the plural. */
export const OPTION_WORD: string = [
  'options?|choices?|ideas?|possibilit(?:y|ies)|alternatives?|candidates?|approach(?:es)?|proposals?|suggestions?',
  'Optionen|Möglichkeit(?:en)?|Varianten?|Vorschl(?:ag|äge)|Alternativen',
  'opci(?:ón|on|ones)|alternativas?|propuestas?|opç(?:ão|ões)|propostas?|opzion[ei]|alternativ[ae]|propost[ae]|choix|propositions?',
  'opties?|optie|mogelijkhe(?:id|den)|opcj[aei]|możliwoś(?:ć|ci)|wariant[y]?|možnosti?|varianty|alternativ(?:er)?|mulighed(?:er)?',
  'seçenek(?:ler)?|opțiun(?:ea|ile|e|i)|vaihtoeh(?:to|dot)|lehetősége?k?|opsi|pilihan|lựa chọn|phương án|tùy chọn',
  'вариант(?:ы|а)?|опци[яи]|варіанти?|возможност[ьи]|предложени[ея]|επιλογ(?:ή|ές)',
  '(?:ال)?خيار(?:ات)?|(?:ال)?بدائل|(?:ال)?بديل|گزینه(?:‌?ها)?|אפשרו(?:ת|יות)|विकल्प|বিকল্প|ตัวเลือก(?:ที่)?|ทางเลือก(?:ที่)?',
  '选项|方案|选择|備選|备选|建议|思路|選項|選擇|選択肢|オプション|候補|案|옵션|선택지|선택|방안',
].join('|')

/** Names of a step. */
export const STEP_WORD =
  'steps?|Schritte?|pasos?|passos?|passo|passi|étapes?|etapas?|stappen|stap|krok[ui]?|adım|шаг[аи]?|крок|βήμα|(?:ال)?خطوة|גام|שלב|चरण|bước|langkah|ขั้นตอน(?:ที่)?|步骤|步驟|ステップ|手順|단계'

/** Headings of the review before the options. */
export const REFLECTION_WORD =
  'reflections?|reflexion|rückblick|überlegung|réflexion|reflexión|reflexão|riflession[ei]|reflectie|refleksja|рефлексия|размышлени[ея]|анализ|роздуми|反思|回顾|回顧|振り返り|考察|성찰|반성|검토|(?:ال)?تأمل|(?:ال)?تفكير|चिंतन|विचार|düşünce|değerlendirme|suy ngẫm|refleksi'

/** Names of a rating, and verbs before one. */
export const RATING_WORD: string = [
  'ratings?|rated?|rate|scores?|graded?|grade|marks?|verdict|give|assign|deserves',
  '(?:Gesamt|End)?(?:Bewertung|Wertung|note)|Punktzahl|bewerte',
  'calificación|puntuación|puntaje|valoración|califico|pontuação|avaliação|classificação',
  'évaluation|évalue|valutazione|punteggio|voto|beoordeling|cijfer|ocena|oceniam',
  'puan[ıi]?|değerlendirme(?:m)?|hodnocení|betyg|arvosana|értékelés|đánh giá|điểm|nilai|skor|peringkat|punctaj',
  'оценк[ауие]|рейтинг|оцениваю|оцінк[ау]|βαθμολογία|βαθμός',
  '(?:ال)?تقييم|(?:ال)?درجة|امتیاز|نمره|דירוג|ציון|रेटिंग|अंक|मूल्यांकन|স্কোর|คะแนน',
  '评分|評分|得分|打分|分数|分數|评级|评价|評価|評点|点数|採点|スコア|レーティング|평가|점수|평점|등급',
].join('|')

/** Words that may stand before a rating, but have other meanings too. */
export const WEAK_RATING_WORD =
  'note|nota|Punkte|gebe|doy|dou|donne|attribue|assegno|daję|ставлю|балл(?:ов)?|أعطي|(?:ال)?نتيجة'

/** Units after a rating. */
export const RATING_UNIT =
  'points?|marks?|stars?|Punkte?n?|Sterne|puntos?|pontos?|punti|punten|punkt(?:y|ów)?|puan|балл(?:а|ов)?|очк(?:а|ов)|балів|نقاط|درجات|נקודות|अंक|điểm|poin|คะแนน|分|点|點|점'

/** Names of the answer to a question. */
export const ANSWER_WORD =
  'answer|antwort|réponse|reponse|respuesta|resposta|risposta|antwoord|odpowiedź|odpověď|cevap|yanıt|svar|vastaus|răspuns|válasz|đáp án|câu trả lời|jawaban|ответ|відповідь|απάντηση|(?:ال)?جواب|(?:ال)?إجابة|پاسخ|תשובה|उत्तर|উত্তর|คำตอบ|答案|答え|回答|정답|답변|답'

const HAN_NUMERALS = '零一二三四五六七八九十'

/** A numeral of an option: digits, a letter, a Han numeral, or a word; part of a pattern with the flags `iu`. */
export const NUMERAL_PATTERN: string = `(?:\\d{1,2}|[${HAN_NUMERALS.slice(1)}]{1,3}|(?<!\\p{Ll})(?:[A-Z]|[ivx]{1,4}|[א-ת]|[أ-ي]|[а-я]|one|two|three|four|five|six|eins|zwei|drei|vier|fünf|uno|dos|tres|due|tre|cuatro|quattro|quatro|un|deux|trois|quatre|cinq|один|два|три|четыре|الأول|الثاني|الثالث|الرابع)(?![\\p{L}]))`

/** Converts a numeral: digits, Han numerals up to 19, or the position of a Latin letter; null for any other. */
export function readNumeral(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text)
  if (/^[a-z]$/i.test(text)) return text.toLowerCase().charCodeAt(0) - 96
  if (text === '') return null
  const digits = Array.from(text, (sign) => HAN_NUMERALS.indexOf(sign))
  if (digits.some((digit) => digit < 0)) return null
  if (digits.length === 1) return digits[0]!
  return digits[0] === 10 && digits.length === 2 ? 10 + digits[1]! : null
}
