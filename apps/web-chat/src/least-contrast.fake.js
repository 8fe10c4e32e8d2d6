// Script for a page: returns the lowest contrast of any text with its background, by the formula of WCAG 2.
;(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const channels = (color) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((channel) => {
      const part = channel / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (node) => {
    if (!node) return [255, 255, 255]
    const color = channels(getComputedStyle(node).backgroundColor)
    return color[3] === 255 ? color : behind(node.parentElement)
  }
  const hasText = (node) =>
    [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim())
  const nodes = [...document.querySelectorAll('article, article *, header *, footer *, nav *')].filter(hasText)
  const ratios = nodes.map((node) => {
    const [one, other] = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))]
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  })
  return Math.min(...ratios)
})()
