// Unpacks the page's script and runs it; the page's policy names both by their digests.

const code = document.createElement("script");
code.textContent = unpacked(document.getElementById("code").textContent);
document.head.append(code);
