// Raw deflate (RFC 1951) undone: the texts of the ledger travel in the page at a fifth of their length.

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// Least value and number of extra bits of each code for a length or a distance.
function table(first, codes, extraOf) {
  let base = first;
  return Array.from({ length: codes }, (_, k) => { const found = [base, extraOf(k)]; base += 1 << extraOf(k); return found; });
}
const LENGTHS = [...table(3, 28, (k) => Math.max(0, (k >> 2) - 1)), [258, 0]];
const DISTANCES = table(1, 30, (k) => Math.max(0, (k >> 1) - 1));

// A canonical Huffman code from the lengths of its words: how many there are of each length, and their symbols in order.
function code(lengths) {
  const counts = Array(16).fill(0);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const symbols = [];
  for (let length = 1; length < 16; length++) lengths.forEach((one, symbol) => { if (one === length) symbols.push(symbol); });
  return { counts, symbols };
}

export function inflate(bytes, size) {
  const out = new Uint8Array(size);
  let [at, held, count, to] = [0, 0, 0, 0];
  const bits = (wanted) => {
    while (count < wanted) { held |= bytes[at++] << count; count += 8; }
    const found = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return found;
  };
  const next = ({ counts, symbols }) => {
    let [word, first, index] = [0, 0, 0];
    for (let length = 1; length < 16; length++) {
      word |= bits(1);
      if (word - counts[length] < first) return symbols[index + word - first];
      index += counts[length];
      first = (first + counts[length]) << 1;
      word <<= 1;
    }
    throw new RangeError("no such word in the code");
  };
  const dynamic = () => {
    const [literals, distances, given] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const lengths = Array(19).fill(0);
    for (let k = 0; k < given; k++) lengths[ORDER[k]] = bits(3);
    const outer = code(lengths);
    const all = [];
    while (all.length < literals + distances) {
      const symbol = next(outer);
      if (symbol < 16) all.push(symbol);
      else if (symbol === 16) all.push(...Array(3 + bits(2)).fill(all.at(-1)));
      else all.push(...Array(symbol === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
    }
    return [code(all.slice(0, literals)), code(all.slice(literals))];
  };
  for (let last = 0; !last;) {
    last = bits(1);
    if (bits(2) !== 2) throw new RangeError("only blocks with codes of their own are read");
    const [literal, distance] = dynamic();
    for (let symbol = next(literal); symbol !== 256; symbol = next(literal)) {
      if (symbol < 256) { out[to++] = symbol; continue; }
      const [length, extra] = LENGTHS[symbol - 257];
      const end = to + length + bits(extra);
      const [far, more] = DISTANCES[next(distance)];
      const back = far + bits(more);
      for (; to < end; to++) out[to] = out[to - back];
    }
  }
  return out;
}

// Five letters tell four bytes, as digits to the base of 85.
function bytesOf(text) {
  const place = Object.fromEntries([...LETTERS].map((letter, k) => [letter, k]));
  const bytes = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let k = 0; k < text.length; k += 5) {
    let total = 0;
    for (let j = k; j < k + 5; j++) total = total * 85 + place[text[j]];
    bytes.setUint32((k / 5) * 4, total);
  }
  return new Uint8Array(bytes.buffer);
}

// The number of bytes in the first line, their deflate in the second, as the page carries it.
export function unpacked(text) {
  const [size, body] = text.trim().split("\n");
  return new TextDecoder().decode(inflate(bytesOf(body), Number(size)));
}
