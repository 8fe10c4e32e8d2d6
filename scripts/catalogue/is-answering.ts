/** Words in the names of models that embed, listen, speak, draw or filter, and do not answer chats. */
const OTHER_MODELS =
  /embed|whisper|(?:^|[-/])tts|-tts|transcri|moderation|realtime|dall-e|gpt-image|image-latest|sora|rerank|ocr|voice|imagine|(?:^|\/)veo|imagen|lyria|-live|live-|native-audio|translate|babbage|davinci|curie|(?:^|-)ada|stable-diffusion|flux|guard-|canary|playai|speech|search-preview-tool|kling|container|omni-flash|streaming-preview/iu

/** True if a model of this name answers chats. */
export const isAnswering = (name: string): boolean => !OTHER_MODELS.test(name)

/** True if a model of this name returns vectors of texts. */
export const isEmbedding = (name: string): boolean => /(?:^|[-/])embed/iu.test(name)
