export default new Map([])
