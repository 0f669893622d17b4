// Package web is what the program's web servers on the user's own machine share: [Guard] refuses requests of other sites and
// other machines, [Server] answers requests and tells open pages through a [Feed] when what they show has changed,
// [AssetHandler] serves the style, the scripts and the icon, and [TemplateFuncs] print numbers and names. It knows nothing
// of what the pages show.
//
// A page of another origin can make a browser send requests to a local address, and can point a name of its own there
// (DNS rebinding). The guard refuses such requests by their Host, Sec-Fetch-Site and Origin. A server that other machines
// can reach asks for a token. The addresses of assets hold a hash of the content, so a browser keeps them for good; nothing
// is built, the files are as they are written.
package web
